import Glibc
import XCallbackEventLoop
import XCallbackLinux

/// A message for a user who does not see the command's output: a desktop notification.
///
/// A page can send any number of URLs. The notification of a scheme replaces the one before it, and shows their number,
/// unless some seconds lie between them.
package struct UserNotice {
    /// The time after which a notification stands for itself.
    private static let pause = Duration.seconds(10)
    /// The timeout of the tool.
    private static let patience = Duration.seconds(1)

    /// The scheme of the URL, or another title.
    let title: String
    let text: String
    /// Whether the URL was not handled.
    let isFailure: Bool

    /// Shows the message on its own.
    ///
    /// - Returns: Whether there is a notification server.
    @discardableResult
    static func show(_ title: String, _ text: String) -> Bool {
        guard ToolRun.isInstalled("notify-send") else { return false }
        // The desktop decides whether it is shown; the standard error of the tool would only repeat the message.
        return [.exited(0), .running].contains(ToolRun(asking: command(title, text), limit: patience).ending)
    }

    /// Shows the message, or replaces the last one of the scheme.
    func show() {
        guard ToolRun.isInstalled("notify-send") else { return }
        let name = title.lowercased().filter { $0.isLetter || $0.isNumber || "+-.".contains($0) }
        let file = SharedFile("notices/\(name)\(isFailure ? "" : "_done")")
        var shown = Shown(file?.read() ?? "")
        let isRecent = (0..<Int64(Self.pause / .milliseconds(1))).contains(Self.now - shown.time)
        shown = isRecent ? shown : Shown()
        shown.count += 1
        shown.time = Self.now
        // A tool that cannot replace a notification would fill the screen.
        if shown.count == 1 || shown.id != 0 { shown.id = run(after: shown) }
        file?.write("\(shown.time) \(shown.id) \(shown.count)")
    }

    /// Runs the tool; returns the ID of the notification, or 0.
    private func run(after shown: Shown) -> Int {
        let number = isFailure ? ": \(shown.count) URLs were not handled" : " (\(shown.count))"
        let title = shown.count == 1 ? title : title + number
        let run = ToolRun(asking: Self.command(title, text, replacing: shown.id), limit: Self.patience)
        switch run.ending {
        case .exited(0): return Int(run.output.prefix { $0.isNumber }) ?? 0
        // libnotify before 0.7.10 does not know the options.
        case .exited: Self.show(title, text)
        case .running, .notStarted: break
        }
        return 0
    }

    /// The maximum length of a notification, of which desktops hide the rest.
    private static let limit = 300

    /// Shows the whole of a text: a long one in a window, as well as any other without a notification server.
    ///
    /// - Returns: Whether the user can see it.
    @discardableResult
    static func showAll(_ title: String, _ text: String) -> Bool {
        let isLong = text.count > limit || text.split(separator: "\n").count > 6
        // The first that works.
        return isLong && showWindow(title, text) || show(title, text) || !isLong && showWindow(title, text)
    }

    /// Shows a text in a window until the user closes it; returns whether a program could do that.
    private static func showWindow(_ title: String, _ text: String) -> Bool {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { String($0).withVisibleControls }
        return Menu.hasDisplay
            && Menu.dialogs.contains { program in
                let isKDialog = program == "kdialog"
                let options =
                    isKDialog ? ["--textbox", "-", "600", "400"] : ["--text-info"] + InteractiveRun.zenitySize
                let words = [program, "--title=\(title.withVisibleControls)"] + options
                let run = try? InteractiveRun(
                    words, input: (isKDialog ? lines.map(\.htmlOfQt) : lines).joined(separator: "\n"))
                return run?.hasReadInput ?? false
            }
    }

    /// Shows a message of 'pick' that otherwise nobody sees, because a key, a panel or a desktop entry has started it.
    ///
    /// - Parameters:
    ///   - text: The message.
    ///   - inWindow: Whether the command may wait until the user has closed a window.
    static func showUnseen(_ text: String, inWindow: Bool = true) {
        let words = CommandLine.arguments.dropFirst()
        guard words.first == "pick", !words.contains("--print"),
            ![STDOUT_FILENO, STDERR_FILENO].contains(where: Terminal.isForeground)
        else { return }
        _ = inWindow ? showAll("xcallback pick", text) : show("xcallback pick", text)
    }

    private static var now: Int64 { monotonicTime() / 1_000_000 }

    /// Returns the command that shows a notification.
    ///
    /// Invisible characters are shown as codes: the text can come from a web page.
    ///
    /// - Parameters:
    ///   - title: The subject, in one line.
    ///   - text: The message. Notification servers interpret some HTML elements; here they are shown verbatim.
    ///   - id: The notification that it replaces, or 0; nil if its ID is not needed.
    /// - Returns: The program and its arguments.
    package static func command(_ title: String, _ text: String, replacing id: Int? = nil) -> [String] {
        let options = id.map { ["--print-id"] + ($0 == 0 ? [] : ["--replace-id=\($0)"]) } ?? []
        return ["notify-send", "--app-name=xcallback"] + options + [
            "--", title.withVisibleControls, text.withVisibleLines.html(escapingBackslash: "\\\\"),
        ]
    }
}

/// The last notification of a scheme, shared by the processes that show them, one per process.
private struct Shown {
    /// The time, in milliseconds of the system's uptime.
    var time: Int64 = 0
    /// Its ID in the notification server, or 0.
    var id = 0
    /// The number of messages in it.
    var count = 0

    init() {}

    init(_ text: String) {
        let numbers = text.split(separator: " ").compactMap { Int64($0) }
        if numbers.count == 3 { (time, id, count) = (numbers[0], Int(numbers[1]), Int(numbers[2])) }
    }
}
