import XCallbackTesting

/// A link as a web page can spell it, and its meaning, determined independently of the daemon's parser.
struct SpelledLink {
    /// The meaning of a valid link.
    struct Meaning: Equatable {
        /// The segments of the action, decoded once.
        let segments: [[UInt8]]
    }

    /// The line that a client sends.
    let line: [UInt8]

    /// Spells an action in a random way that may be invalid.
    init(_ random: inout SeededGenerator, of actions: [String], scheme: String) {
        func pick(_ texts: [String]) -> String { texts[random.below(texts.count)] }
        var segments = pick(actions).split(separator: "/").map(String.init)
        for index in segments.indices where random.below(6) == 0 {
            segments[index] = Self.respelled(segments[index], &random)
        }
        for _ in 0..<random.below(3) {
            let piece = pick(Self.pieces)
            let index = random.below(segments.count + 1)
            switch random.below(3) {
            case 0: segments.insert(piece, at: index)
            case 1 where index < segments.count: segments[index] += piece
            case _ where index < segments.count: segments[index] = piece + segments[index]
            default: segments.append(piece)
            }
        }
        var text =
            pick([scheme, scheme, scheme.uppercased()]) + pick(Self.beginnings) + segments.joined(separator: "/")
        if random.below(8) == 0 { text += "/" }
        for number in 0..<random.below(4) {
            text += (number == 0 ? "?" : "&") + pick(Self.queries)
        }
        if random.below(8) == 0 { text += pick(["#", "#/../x", "#?a=b", "#://evil.example/"]) }
        line = Array(text.utf8)
    }

    /// Returns the text with unnecessary escapes.
    private static func respelled(_ text: String, _ random: inout SeededGenerator) -> String {
        text.utf8.map { byte in
            let digits = String(byte, radix: 16, uppercase: random.below(2) == 0)
            switch random.below(4) {
            case 0: return "%\(digits)"
            case 1 where random.below(8) == 0: return "%25\(digits)"
            default: return String(UnicodeScalar(byte))
            }
        }.joined()
    }

    private static let beginnings = [
        ":/", ":/", ":", "://", "://", ":///", "://x-callback-url/", ":/x-callback-url/", "://X-Callback-URL/",
        "://x%2dcallback-url/", ":/x-callback-url/x-callback-url/", "://evil.example/", "://u@evil.example/",
        "://evil.example:80/", "://[::1]/", ":?://evil.example/", ":/a?://evil.example/",
    ]
    /// Pieces of a segment, or beside it.
    private static let pieces = [
        "%2F", "%2f..%2f", "%3F", "%23", "..", ".", "%2e%2e", "%2E", "%252e%252e", "..;", ";x=1", "//", "/",
        "://evil.example",
        "@evil.example", "%40evil.example", ":443", "%3A80", "[::1]", "\\", "%5C", "%5c..%5c", "%00", "%0A", "%0d%0a",
        "%09",
        "%1B", "%7F", "%20", "%E2%80%AE", "\u{202E}", "\u{2066}", "%C2%85", "%EF%BC%8F", "\u{FF0F}", "\u{3002}", "é",
        "%25",
        "%2525", "%", "%zz", "%ff", "'", "\"", "`id`", "$(id)", "{a}", "|", "<b>", "*", "~", "&", "=", "+", "-",
        "--help", "x-a",
        "x-callback-url", "evil.example", "www.evil.example%2F.example.com", String(repeating: "a", count: 2_000),
        "xn--80ak6aa92e.com", "github.com", "%67ithub.com", "GitHub.com",
    ]
    /// Query items, and similar texts.
    private static let queries = [
        "://evil.example/", "//evil.example", "/../..", "a=1", "a=2&a=3", "a", "a=", "=a", "", "&", "a=%26b%3Dc",
        "q=a+b",
        "q=%2B", "next=https://evil.example/?a=b", "?", "??", "a=\"'<>`{}|\\^[]", "a=\u{202E}b", "é=é", "a=%E2%80%AE",
        "a=%0A",
        "a=%00", "a=%", "x-success=app:done", "%78-success=app:done", "X-Success=app:done", "%58%2dCancel=app:c",
        "x-=1",
        "x-source=me", "x-error=app:e&x-error=app:e", "xx-a=1", "a=$(id)&b=;id", "a=%25%32%36", "x=x-success%3Da",
        "a;x-a=b",
        "a=" + String(repeating: "%41", count: 700),
    ]

    /// The meaning of the link if it is accepted; nil if it cannot be.
    var meaning: Meaning? {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        let whole = line[(colon + 1)...].prefix { $0 != UInt8(ascii: "#") }
        let query = whole.firstIndex(of: UInt8(ascii: "?"))
        var parts = whole[..<(query ?? whole.endIndex)].split(
            separator: UInt8(ascii: "/"), omittingEmptySubsequences: false
        )
        .map { Array($0) }
        // The first segment of `:/a` is empty, and so are the first two of `://host`.
        if parts.count >= 3, parts[0].isEmpty, parts[1].isEmpty {
            parts.removeFirst(2)
            if parts[0].isEmpty || parts[0].isCallbackHost { parts.removeFirst() }
        } else if parts[0].isEmpty {
            parts.removeFirst()
            if parts.first?.isCallbackHost == true { parts.removeFirst() }
        }
        if parts.last?.isEmpty == true { parts.removeLast() }
        let segments = parts.compactMap(\.decodedOnce)
        guard segments.count == parts.count, !segments.contains([]) else { return nil }
        for piece in query.map({ whole[($0 + 1)...] })?.split(separator: UInt8(ascii: "&")) ?? [] {
            let halves = piece.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard halves.allSatisfy({ Array($0).decodedOnce != nil }) else { return nil }
        }
        return Meaning(segments: segments)
    }
}

extension [UInt8] {
    fileprivate var isCallbackHost: Bool {
        String(decoding: self, as: UTF8.self).lowercased() == "x-callback-url"
    }

    /// Decodes percent escapes; nil if one is incomplete.
    var decodedOnce: [UInt8]? {
        var result: [UInt8] = []
        var rest = self[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                result.append(byte)
                continue
            }
            let digits = String(decoding: rest.prefix(2), as: UTF8.self)
            guard digits.utf8.count == 2, let value = UInt8(digits, radix: 16) else { return nil }
            result.append(value)
            rest.removeFirst(2)
        }
        return result
    }
}
