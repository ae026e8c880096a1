/// A desktop notification.
package enum DesktopNotice {
    /// Returns the command that shows a notification.
    ///
    /// Characters that would change the display, instead of being visible, are shown as U+FFFD: the text can come from a web
    /// page.
    ///
    /// - Parameters:
    ///   - title: The subject, in one line.
    ///   - text: The message. Notification servers interpret some HTML elements; here they are shown verbatim.
    /// - Returns: The program and its arguments.
    package static func command(_ title: String, _ text: String) -> [String] {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            // A notification server would read the next character, too.
            case "\\": escaped += "\\\\"
            case "\n": escaped += "\n"
            default: escaped.unicodeScalars.append(scalar.seen)
            }
        }
        var line = ""
        for scalar in title.unicodeScalars { line.unicodeScalars.append(scalar.seen) }
        return ["notify-send", "--app-name=xcallback", "--", line, escaped]
    }
}

extension Unicode.Scalar {
    /// The character, or U+FFFD for an invisible one.
    fileprivate var seen: Self {
        properties.generalCategory == .control || properties.isBidiControl ? "\u{FFFD}" : self
    }
}
