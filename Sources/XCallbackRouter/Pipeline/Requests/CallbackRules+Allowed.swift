import XCallbackURL
import XCallbackWire

extension CallbackRules.Allowed {
    /// Reads a scheme, or a web site without a path.
    ///
    /// - Returns: Nil if the text is neither, or must never receive an answer.
    package init?(_ text: String) {
        let word = text.lowercased()
        if isScheme(word) {
            guard !CallbackRules.isRefused(scheme: word), word != "http", word != "https" else { return nil }
            self = .scheme(word)
            return
        }
        let bytes = Array(word.utf8)
        guard let callback = try? Callback(bytes: bytes), let authority = callback.layout.authority,
            !authority.isEmpty, authority.upperBound == bytes.count, bytes[authority].allSatisfy(isHostByte)
        else { return nil }
        let siteScheme = String(utf8: bytes.span.extracting(callback.layout.scheme))
        if CallbackRules.isRefused(scheme: siteScheme) { return nil }
        self = .site(scheme: siteScheme, authority: String(utf8: bytes.span.extracting(authority)))
    }

    /// Returns the reason why a text cannot be allowed, for people.
    package static func reason(against text: String) -> String {
        CallbackRules.isRefused(scheme: text.prefix { $0 != ":" }.lowercased())
            ? "opening its URLs can run code"
            : "expected a scheme such as app, or a site such as https://example.org"
                + (nearest(to: text).map { "; did you mean '\($0)'?" } ?? "")
    }
}

/// Whether a byte can be in a host or before its port; excludes patterns and user names.
private func isHostByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), 0x80...: true
    case UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: ":"), UInt8(ascii: "["), UInt8(ascii: "]"): true
    default: false
    }
}

extension CallbackRules.Allowed {
    /// Whether a text that can be a scheme is more likely the host of a web site: `example.org`, but not `org.example.app`.
    package static func isHost(_ text: String) -> Bool {
        let labels = text.lowercased().split(separator: ".")
        guard let first = labels.first, let last = labels.last, labels.count > 1 else { return text == "localhost" }
        return first == "www" || domains.contains(String(last)) && !domains.contains(String(first))
    }

    /// Top-level domains that end host names and begin application names.
    private static let domains: Set = [
        "com", "org", "net", "edu", "gov", "info", "io", "dev", "eu", "de", "at", "ch", "fr", "it", "es", "nl", "se",
        "uk", "us", "ca", "au", "jp", "cn", "in", "br",
    ]

    /// Returns the likely intended text for one that cannot be allowed: a scheme, or a site without a page.
    private static func nearest(to text: String) -> String? {
        let end = text.reversed().prefix { $0 == "/" || $0 == ":" }.count
        var name = text.lowercased().dropLast(end)
        var scheme: Substring = name.hasPrefix("localhost") ? "http" : "https"
        if let colon = name.firstIndex(of: ":"), name[colon...].hasPrefix("://") {
            scheme = name[..<colon]
            name = name[colon...].dropFirst(3)
        }
        let host = name.prefix { $0 != "/" }
        let isHost = host.hasPrefix("localhost") || host.contains(".")
        let word = isHost ? "\(scheme)://\(host)" : "\(name)"
        return Self(word) == nil ? nil : word
    }
}
