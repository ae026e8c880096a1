import Glibc
import XCallbackLinux
import XCallbackWire

/// A desktop program that shows a question, and the meaning of its exit status and output.
package enum QuestionTool: Hashable {
    case zenity
    case kdialog
    case notification(readsMarkup: Bool)

    /// The desktop entry that tells the desktop who asks.
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

    /// Whether its output begins when the question is visible.
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
        switch self {
        case .zenity:
            ["ZENITY_OK=0", "ZENITY_CANCEL=\(Self.zenityStatuses[0])", "ZENITY_ESC=\(Self.zenityStatuses[1])"]
        case .kdialog, .notification: []
        }
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
            return [
                "notify-send", "--app-name=xcallback", "--hint=string:desktop-entry:\(Self.desktopEntry)",
                "--urgency=critical", "--expire-time=0", "--icon=dialog-question", "--print-id", "--wait",
                "--action=no=No", "--action=yes=Yes", "--", title, escaped,
            ]
        }
    }

    /// Returns whether the user's answer is yes; nil if the program has failed.
    package func answer(status: Int32, output: String) -> Bool? {
        switch self {
        case .zenity: status == 0 ? true : Self.zenityStatuses.contains(status) ? false : nil
        case .kdialog: [0, 1].contains(status) ? status == 0 && output == "yes\n" : nil
        // The number of the notification comes first.
        case .notification: status == 0 ? output.split(separator: "\n").last == "yes" : nil
        }
    }
}

extension QuestionTool {
    /// The timeout of the notification service, because the desktop may have to start it.
    private static let patience = Duration.seconds(5)

    /// Returns the notification that can ask; throws if there is none.
    static func findNotification() throws(Failure) -> QuestionTool {
        func failure(_ reason: String) -> Failure {
            Failure(.unavailable, "neither zenity nor kdialog is installed, and \(reason)")
        }
        guard ToolRun.isInstalled("notify-send") else { throw failure("notify-send is not installed") }
        let name = "org.freedesktop.Notifications"
        let path = "/org/freedesktop/Notifications"
        let calls = [
            ["busctl", "--user", "call", name, path, name, "GetCapabilities"],
            [
                "gdbus", "call", "--session", "--dest", name, "--object-path", path, "--method",
                "\(name).GetCapabilities",
            ],
        ]
        for call in calls where ToolRun.isInstalled(call[0]) {
            let run = ToolRun(asking: call, limit: patience)
            guard run.ending == .exited(0) else { continue }
            if let tool = QuestionTool(capabilities: run.output) { return tool }
            throw failure("the notification service does not support buttons")
        }
        throw failure("no notification service can be reached")
    }

    /// Creates the notification of a service with some capabilities, a list of quoted words; nil if it has no buttons.
    package init?(capabilities: String) {
        let words = capabilities.split { !($0.isLetter || $0 == "-") }
        guard words.contains("actions") else { return nil }
        self = .notification(readsMarkup: words.contains("body-markup"))
    }
}

extension String {
    fileprivate func html(escapingBackslash backslash: String) -> String {
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
}
