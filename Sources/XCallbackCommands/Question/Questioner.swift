import Glibc
import XCallbackBuiltIns
import XCallbackLinux
import XCallbackWire

/// Asks the user with the first tool that works.
struct Questioner {
    /// How often an answer may come too early; then the answer is No.
    private static let roundLimit = 10
    /// The time until the question is shown again: Plasma refuses a notification that repeats one of the last second.
    ///
    /// A notification that fails is shown again once.
    private static let (pause, pauseOfNotification) = (Duration.milliseconds(300), Duration.milliseconds(1500))

    private let title: String
    private let lines: [String]
    /// The lines to read before the question, if it cuts values; nil if it does not.
    private let text: [String]?
    private let tools: [QuestionTool]

    init(title: String, lines: [String], text: [String]?, needsDialog: Bool) throws(Failure) {
        self.title = title
        self.lines = lines
        self.text = text
        // Without a display, the buttons of a notification may be invisible, too.
        if variable("DISPLAY") == nil, variable("WAYLAND_DISPLAY") == nil {
            let help =
                ManagerScope.user.isRunning
                ? "run '\(ManagerScope.displayImport)' in your desktop session"
                : "neither DISPLAY nor WAYLAND_DISPLAY is set"
            let others =
                "without a desktop, 'origin: [desktop, agent]' in 'confirm' lets it ask only about links and assistants"
            throw Failure(.unavailable, "there is no display: \(help); \(others)")
        }
        let dialogs = QuestionTool.dialogs
        if dialogs.isEmpty, needsDialog {
            throw QuestionTool.failure("this question needs one of them: install zenity")
        }
        tools = dialogs.isEmpty ? [try .findNotification()] : dialogs
    }

    /// Asks the user, and returns whether the answer is yes; throws if no tool reaches the user.
    func ask() throws(Failure) -> Bool {
        let interruption = try Interruption(and: [QuestionTurn.reminder])
        for tool in tools { if let isYes = ask(with: tool, interruption) { return isYes } }
        let reason = tools.map { "\($0.name) failed" }.joined(separator: ", and ")
        throw tools.contains(where: \.reportsWindow) ? QuestionTool.failure(reason) : Failure(.unavailable, reason)
    }

    private func ask(with tool: QuestionTool, _ interruption: Interruption) -> Bool? {
        var roundCount = 0
        var hasFailed = false
        var unread = text
        while roundCount < Self.roundLimit {
            let ending: ToolWindow.Ending
            do throws(SystemError) {
                ending = try ToolWindow.show(tool, title, lines, unread).wait(interruption)
            } catch {
                return nil
            }
            switch ending {
            case .answer(true) where unread != nil: unread = nil
            case .answer(let isYes): return isYes
            case .reminder: continue
            case .tooEarly,
                .failure where tool.reportsWindow && !hasFailed:
                roundCount += 1
                if case .failure = ending { hasFailed = true }
                let event = interruption.wait(atMost: tool.reportsWindow ? Self.pauseOfNotification : Self.pause)
                if case .signal(let number) = event, number != QuestionTurn.reminder { Interruption.end(with: number) }
            case .failure(let errors):
                if !errors.isEmpty { Terminal.printError(errors.withVisibleControls) }
                return nil
            }
        }
        return false
    }
}

extension Interruption.Event {
    fileprivate var isTimeout: Bool { if case .timeout = self { true } else { false } }

    fileprivate var isReminder: Bool { if case .signal(QuestionTurn.reminder) = self { true } else { false } }
}

/// A running tool that shows a question.
private struct ToolWindow: ~Copyable {
    enum Ending {
        case answer(isYes: Bool)
        /// The answer came too early: keys and clicks at the moment a window appears were not meant for it.
        case tooEarly
        /// The question must be shown again, because another request waits for it.
        case reminder
        /// The tool failed, with the text on its standard error.
        case failure(errors: String)
    }

    private static let outputLimit = 1024
    /// The time in which answers do not count: after the window appears, or after the start of a tool that does not report
    /// its window.
    private static let (earlyTime, earlyTimeOfTool) = (Duration.seconds(1), Duration.seconds(3))
    /// How long it may take to end after a signal, and from its last output to its end.
    private static let (patience, moment) = (Duration.seconds(1), Duration.milliseconds(50))

    private let tool: QuestionTool
    /// Whether the window shows a text, and the answer yes only means that the user wants to go on.
    private let isText: Bool
    private let process: SpawnedProcess
    private let output: Pipe
    private let errors: Descriptor
    private let startTime: ContinuousClock.Instant

    /// Shows a question, or the text before it.
    static func show(
        _ tool: QuestionTool, _ title: String, _ lines: [String], _ text: [String]?
    ) throws(SystemError) -> ToolWindow {
        var output = try Pipe()
        let errors = try Descriptor(inMemory: [])
        let input = try Descriptor(inMemory: Array(tool.textInput(text ?? []).utf8))
        let startTime = ContinuousClock.now
        let process = try SpawnedProcess(
            text == nil ? tool.command(title, lines) : tool.textCommand(title),
            with: tool.environment + localeVariables,
            streams: (
                input.number, output.numbers.writing, tool.reportsWindow ? output.numbers.writing : errors.number
            ))
        output.writing = nil
        if tool.reportsWindow, ManagerScope.user.isRunning {
            // Otherwise the end of the daemon's unit would kill it before it has removed its question.
            _ = ManagerScope.moveToScope("xcallback-question-\(process.id).scope", [process.id], title)
        }
        return ToolWindow(
            tool: tool, isText: text != nil, process: process, output: output, errors: errors, startTime: startTime)
    }

    /// Waits until the tool ends; a signal ends the tool first.
    ///
    /// A reminder does not end a tool whose answer would still come too early: its window has just appeared.
    func wait(_ interruption: Interruption) -> Ending {
        var earlyEnd = startTime + Self.earlyTimeOfTool
        var event = Interruption.Event.timeout
        if tool.reportsWindow {
            repeat { event = interruption.wait(for: output.numbers.reading, atMost: nil) } while event.isReminder
        }
        var text = ""
        if case .ready = event {
            // A tool that ends in the same moment has not reported its window before.
            event = interruption.wait(for: process.handle.number, atMost: Self.moment)
            if event.isTimeout || event.isReminder {
                text = Self.read(output.numbers.reading)
                if tool.isRefused(text) {
                    endTool()
                    return .failure(errors: text)
                }
                if Int(text.dropLast()) != nil { earlyEnd = .now + Self.earlyTime }
            }
        }
        while event.isTimeout || event.isReminder && .now < earlyEnd {
            event = interruption.wait(for: process.handle.number, atMost: nil)
        }
        if case .signal(let number) = event {
            endTool()
            if number == QuestionTurn.reminder { return .reminder }
            Interruption.end(with: number)
        }
        let isEarly = ContinuousClock.now < earlyEnd
        text += Self.read(output.numbers.reading)
        guard case .exited(status: let status) = process.reap(),
            let isYes = isText ? tool.isRead(status: status) : tool.answer(status: status, output: text)
        else {
            // It is read from its beginning.
            lseek(errors.number, 0, SEEK_SET)
            return .failure(errors: tool.reportsWindow ? text : Self.read(errors.number))
        }
        return isEarly ? .tooEarly : .answer(isYes: isYes)
    }

    /// Ends the tool, so that no question without a reader remains.
    private func endTool() {
        process.send(signal: tool.endingSignal)
        if !process.ends(by: .now + Self.patience) { process.send(signal: SIGKILL) }
        process.reap()
    }

    private static func read(_ file: Int32) -> String {
        var bytes = [UInt8](repeating: 0, count: outputLimit)
        let count = isReady(file, until: .now) ? Glibc.read(file, &bytes, bytes.count) : 0
        return String(decoding: bytes[..<max(count, 0)], as: UTF8.self)
    }
}

/// A desktop program that shows a question, and the meaning of its exit status and output.
package enum QuestionTool: Hashable {
    case zenity
    case kdialog
    case notification(readsMarkup: Bool)

    /// The desktop entry of the program that asks.
    private static let desktopEntry = "org.xcallback.Router"
    /// The exit statuses of zenity after a No and after Escape; it exits with 1 if it cannot reach the screen.
    private static let zenityStatuses: [Int32] = [101, 102]

    var name: String {
        switch self {
        case .zenity: "zenity"
        case .kdialog: "kdialog"
        case .notification: "notify-send"
        }
    }

    /// Whether its output, of which its errors are a part, begins when the question is visible or was refused.
    var reportsWindow: Bool { if case .notification = self { true } else { false } }

    /// The signal that ends the program and removes the question from the screen.
    var endingSignal: Int32 {
        switch self {
        case .zenity, .kdialog: SIGTERM
        case .notification: SIGINT
        }
    }

    /// The additional environment of the program, as `NAME=value`.
    package var environment: [String] {
        guard self == .zenity else { return [] }
        return ["ZENITY_OK=0", "ZENITY_CANCEL=\(Self.zenityStatuses[0])", "ZENITY_ESC=\(Self.zenityStatuses[1])"]
    }

    package func command(_ title: String, _ lines: [String]) -> [String] {
        switch self {
        case .zenity:
            // Without markup, zenity shows backslashes verbatim, too. It must not wrap lines itself.
            return [
                "zenity", "--question", "--default-cancel", "--no-markup", "--no-wrap", "--title=\(title)",
                "--ok-label=Yes", "--cancel-label=No", "--text=\(lines.joined(separator: "\n"))",
            ]
        case .kdialog:
            // Yes is the default of kdialog's questions, and the exit status of a No is also that of failures. So it shows a
            // list with No selected, and prints the selection at the end. A mark before the words keeps typed letters from
            // selecting them. A text that begins with <qt> is always HTML.
            let text = lines.map { $0.html(escapingBackslash: "&#92;") }.joined(separator: "\n")
            return [
                "kdialog", "--desktopfile", Self.desktopEntry, "--title", title, "--menu",
                "<qt><p align=\"left\" style=\"white-space: pre\">\(text)</p></qt>", "no", "✗ No", "yes", "✓ Yes",
                "--default", "✗ No",
            ]
        case .notification(let readsMarkup):
            let text = lines.joined(separator: "\n")
            // The notification interprets backslashes in the text.
            let escaped = readsMarkup ? text.html(escapingBackslash: "\\\\") : text.replacing(each: "\\", with: "\\\\")
            // The daemon kills the group of a question whose request has ended, but the server keeps the notification: so its
            // process has a session of its own, and removes it as soon as this process is gone.
            return [
                "setsid", "setpriv", "--pdeathsig=INT", "notify-send", "--app-name=xcallback",
                "--hint=string:desktop-entry:\(Self.desktopEntry)",
                "--urgency=critical", "--expire-time=0", "--icon=dialog-question", "--print-id", "--wait",
                "--action=no=No", "--action=yes=Yes", "--", title, escaped,
            ]
        }
    }

    /// Returns the command of a dialog that shows its standard input as a text that scrolls.
    package func textCommand(_ title: String) -> [String] {
        let size = (width: "800", height: "600")
        if self == .kdialog { return ["kdialog", "--title", title, "--textbox", "-", size.width, size.height] }
        return [
            "zenity", "--text-info", "--title=\(title)", "--ok-label=Next", "--cancel-label=No",
            "--width=\(size.width)", "--height=\(size.height)",
        ]
    }

    /// Returns the standard input that shows lines as they are: kdialog takes each that looks like HTML for it.
    package func textInput(_ lines: [String]) -> String {
        (self == .kdialog ? lines.map(\.htmlOfQt) : lines).joined(separator: "\n")
    }

    /// Returns whether the user goes on from a text to its question; nil if the program has failed.
    ///
    /// This is no answer, because not every version of zenity distinguishes OK from Escape here.
    package func isRead(status: Int32) -> Bool? {
        self == .kdialog
            ? [0, 1].contains(status) ? true : nil
            : answer(status: status == Self.zenityStatuses[1] ? 0 : status, output: "")
    }

    /// Returns whether the user's answer is yes; nil if the program has failed.
    package func answer(status: Int32, output: String) -> Bool? {
        switch self {
        case .zenity: status == 0 ? true : Self.zenityStatuses.contains(status) ? false : nil
        case .kdialog: [0, 1].contains(status) ? status == 0 && output == "yes\n" : nil
        // The number of the notification comes first.
        case .notification: status == 0 && !isRefused(output) ? output.split(separator: "\n").last == "yes" : nil
        }
    }

    /// Returns whether the notification service has refused the question; then the program waits for an answer all the same.
    package func isRefused(_ output: String) -> Bool {
        // Version 0.8.1 prints no number before its end; the number 0 follows any error.
        reportsWindow && output.split(separator: "\n").contains { $0 == "0" || $0.hasPrefix("GDBus.Error:") }
    }
}

extension QuestionTool {
    /// The timeout of the notification service, because the desktop may have to start it.
    private static let patience = Duration.seconds(5)

    /// Returns the notification that can ask; throws if there is none.
    static func findNotification() throws(Failure) -> QuestionTool {
        for tool in ["notify-send", "setsid", "setpriv"] where !ToolRun.isInstalled(tool) {
            throw failure("\(tool) is not installed")
        }
        guard let server = ask("GetServerInformation"), let capabilities = ask("GetCapabilities") else {
            throw failure("no notification service can be reached")
        }
        guard let tool = QuestionTool(server: server, capabilities: capabilities) else {
            throw failure("the notification service shows no buttons")
        }
        return tool
    }

    /// The installed dialogs, the best first.
    static var dialogs: [Self] { [zenity, kdialog].filter { ToolRun.isInstalled($0.name) } }

    /// Why the user must be asked in another way.
    static let lack = "neither zenity nor kdialog is installed"

    static func failure(_ reason: String) -> Failure { Failure(.unavailable, "\(lack), and \(reason)") }

    /// Calls the notification service; returns its reply as text, or nil if it cannot be reached.
    private static func ask(_ method: String) -> String? {
        let name = "org.freedesktop.Notifications"
        let path = "/org/freedesktop/Notifications"
        let calls = [
            ["busctl", "--user", "call", name, path, name, method],
            ["gdbus", "call", "--session", "--dest", name, "--object-path", path, "--method", "\(name).\(method)"],
        ]
        for call in calls where ToolRun.isInstalled(call[0]) {
            let run = ToolRun(asking: call, limit: patience)
            if run.ending == .exited(0) { return run.output }
        }
        return nil
    }

    /// Creates the notification of a service; nil if it shows no buttons.
    ///
    /// - Parameters:
    ///   - server: What it says about itself, with its quoted name first.
    ///   - capabilities: A list of quoted words.
    package init?(server: String, capabilities: String) {
        let name = server.split { $0 == "\"" || $0 == "'" }.dropFirst().first ?? ""
        let words = capabilities.split { !($0.isLetter || $0 == "-") }
        // These two accept actions, and draw no buttons for them.
        guard words.contains("actions"), name != "mako", name != "dunst" else { return nil }
        self = .notification(readsMarkup: words.contains("body-markup"))
    }
}

/// The variables that let a tool show any text: GTK rejects an argument with characters outside the locale's charset,
/// which is ASCII if the locale is not installed.
var localeVariables: [String] {
    let locale = newlocale(1 << LC_CTYPE, "", nil)
    defer { if let locale { freelocale(locale) } }
    // CODESET, which is a macro.
    let name = locale.flatMap { nl_langinfo_l(nl_item(LC_CTYPE << 16 | 14), $0) }.map { String(cString: $0) }
    return name == "UTF-8" ? [] : ["LC_ALL=C.UTF-8"]
}

extension String {
    /// The text in HTML, for a notification or a dialog that would interpret it.
    ///
    /// - Parameter backslash: The form of a backslash, which some servers interpret, too.
    /// - Returns: The escaped text.
    func html(escapingBackslash backslash: String) -> String {
        var result = ""
        for scalar in unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\\": result += backslash
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// The text for a tool of KDE, which interprets a text that looks like HTML, and backslashes.
    var htmlOfQt: String {
        "<qt><p style=\"white-space: pre-wrap\">\(html(escapingBackslash: "&#92;"))</p></qt>"
    }
}
