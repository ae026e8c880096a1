package import XCallbackURL
import XCallbackWire

extension SchemeSettings {
    private static let hierarchical: Set = [
        "ftp", "git+ssh", "irc", "ircs", "ldap", "mailto", "sftp", "smb", "ssh", "svn+ssh", "telnet", "vnc",
    ]
    private static let opaque: Set = [
        "feed", "geo", "matrix", "mpv", "sip", "sips", "skype", "spotify", "tel", "view-source", "vlc", "xmpp",
    ]

    /// Returns the syntax of a well-known scheme whose URLs are no callback URLs; nil for any other.
    package static func knownSyntax(of scheme: String) -> URLSyntax? {
        hierarchical.contains(scheme) ? .url : opaque.contains(scheme) ? .text : nil
    }

    /// What a file has to say of a scheme.
    package static func setting(_ scheme: String, _ syntax: URLSyntax) -> String {
        "'\(scheme): { syntax: \(syntax.rawValue) }' under 'schemes'"
    }
}

extension Pipeline {
    /// Returns the setting or the pattern with which a route could answer a URL; nil if neither is likely.
    ///
    /// - Parameters:
    ///   - url: The URL as received.
    ///   - error: The error that answers it.
    /// - Returns: A sentence without a full stop.
    package func syntaxHint(for url: String, _ error: CallbackError) -> String? {
        let name = url.prefix { $0 != ":" }.lowercased()
        guard let scheme = schemes.first(where: { $0.name == name }) else { return nil }
        let rest = url.dropFirst(name.utf8.count + 1)
        let isMalformed = error.code == .malformed && error.message.hasPrefix("The URL has ")
        switch scheme.settings.syntax {
        case .callback where isMalformed || error.code == .unknownAction:
            let isHost = isMalformed && error.message.contains(text: "as its host")
            let likely = SchemeSettings.knownSyntax(of: name) ?? (isHost ? .url : nil)
            // A URL within a URL.
            let isNested = isMalformed && (rest.hasPrefix("//") ? rest.dropFirst(2) : rest).contains(text: "://")
            guard let syntax = likely ?? (isNested ? .text : nil) else { return nil }
            return "\(SchemeSettings.setting(name, syntax)) reads such URLs"
        case .url where isMalformed: return "\(SchemeSettings.setting(name, .text)) takes any text"
        case .url where error.code == .unknownAction:
            // A pattern without '//' matches no URL with it, and the other way around.
            let (with, without) = ("\(name)://", "\(name):")
            let hasHost = rest.hasPrefix("//")
            guard let route = scheme.routes.first,
                !scheme.routes.contains(where: { $0.name.hasPrefix(with) == hasHost })
            else { return nil }
            let pattern = route.name.dropFirst((hasHost ? without : with).utf8.count)
            guard let first = pattern.first, "*{:".contains(first) else { return nil }
            return "\(route.name) matches no URL with\(hasHost ? "" : "out") '//': write "
                + "\(hasHost ? with : without)\(pattern)"
        default: return nil
        }
    }
}
