/// A notification of the desktop.
package enum DesktopNotice {
    /// The command that shows one.
    ///
    /// - Parameters:
    ///   - title: What it is about.
    ///   - text: What there is to say. Notifications read some elements of HTML; here they are shown as they are.
    /// - Returns: The program and its arguments.
    package static func command(_ title: String, _ text: String) -> [String] {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return ["notify-send", "--app-name=xcallback", "--", title, escaped]
    }
}
