/// A notification of the desktop.
package enum DesktopNotice {
    /// The command that shows one.
    ///
    /// Characters that would change how it looks, instead of being seen, are shown as U+FFFD: what it tells of can come
    /// from a web page.
    ///
    /// - Parameters:
    ///   - title: What it is about: one line.
    ///   - text: What there is to say. Notifications read some elements of HTML; here they are shown as they are.
    /// - Returns: The program and its arguments.
    package static func command(_ title: String, _ text: String) -> [String] {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            // It would read the character behind it.
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
    /// The character, or U+FFFD for one that nobody would see.
    fileprivate var seen: Self {
        properties.generalCategory == .control || properties.isBidiControl ? "\u{FFFD}" : self
    }
}
