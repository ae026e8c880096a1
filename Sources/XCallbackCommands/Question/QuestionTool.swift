import Glibc
import XCallbackEventLoop
import XCallbackLinux
import XCallbackWire

/// A desktop program that shows a question, and the meaning of its exit status and output.
package enum QuestionTool: Hashable {
    /// A dialog of GTK.
    case zenity
    /// A dialog of KDE.
    case kdialog
    /// A notification with two buttons.
    case notification(readsMarkup: Bool)

    /// The user's answer.
    package enum Answer: Hashable {
        case yes, no
    }

    /// The exit statuses of zenity after a No and after Escape; it exits with 1 if it cannot reach the screen.
    private static let zenityStatuses: [Int32] = [101, 102]

    /// The name of the program.
    var name: String {
        switch self {
        case .zenity: "zenity"
        case .kdialog: "kdialog"
        case .notification: "notify-send"
        }
    }

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

    /// Returns the program and its arguments.
    ///
    /// - Parameters:
    ///   - title: The title of the window.
    ///   - lines: The lines of the question.
    /// - Returns: The words of the command.
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
                "kdialog", "--title", title, "--menu",
                "<qt><p align=\"left\" style=\"white-space: pre\">\(text)</p></qt>", "no", "✗ No", "yes", "✓ Yes",
                "--default", "✗ No",
            ]
        case .notification(let readsMarkup):
            let text = lines.joined(separator: "\n")
            // The notification interprets backslashes in the text.
            let escaped = readsMarkup ? text.html(escapingBackslash: "\\\\") : text.replacing(each: "\\", with: "\\\\")
            return [
                "notify-send", "--app-name=xcallback", "--urgency=critical", "--expire-time=0",
                "--icon=dialog-question", "--wait", "--action=no=No", "--action=yes=Yes", "--", title, escaped,
            ]
        }
    }

    /// Returns the user's answer.
    ///
    /// - Parameters:
    ///   - status: The exit status of the program.
    ///   - output: The standard output of the program.
    /// - Returns: The answer; nil if the program has failed.
    package func answer(status: Int32, output: String) -> Answer? {
        switch self {
        case .zenity: status == 0 ? .yes : Self.zenityStatuses.contains(status) ? .no : nil
        case .kdialog:
            switch (status, output) {
            case (0, "yes\n"): .yes
            case (0, _), (1, _): .no
            default: nil
            }
        case .notification: status != 0 ? nil : output == "yes\n" ? .yes : .no
        }
    }
}

extension String {
    /// Returns the text as HTML.
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

/// The notification server of the user's desktop.
package struct NotificationServer {
    /// The timeout of its capabilities, because the desktop may have to start it.
    private static let patience = Duration.seconds(5)

    /// Whether notifications can have buttons.
    package let hasButtons: Bool
    /// Whether it interprets some HTML elements in the text.
    package let readsMarkup: Bool

    /// Parses the capabilities of a server: a list of quoted words.
    package init(capabilities: String) {
        let words = capabilities.split { !($0.isLetter || $0 == "-") }
        hasButtons = words.contains("actions")
        readsMarkup = words.contains("body-markup")
    }

    /// Calls the server of the session; nil if there is none.
    static func ask() -> NotificationServer? {
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
            if run.ending == .exited(0) { return NotificationServer(capabilities: run.output) }
        }
        return nil
    }
}
