import XCallbackRouter
import XCallbackURL

/// A URL that takes an answer, read in the plainest way: what answers are compared with.
struct NaiveCallback {
    /// The URL.
    let bytes: [UInt8]

    /// Whether it has a scheme, no blank and no control character, and two hexadecimal digits after each `%`.
    var isURL: Bool {
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), colon > 0 else { return false }
        let scheme = bytes[..<colon].map { Character(Unicode.Scalar($0)) }
        let isScheme = scheme.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) }
        guard isScheme, scheme[0].isLetter, !bytes.contains(where: { $0 <= 0x20 || $0 == 0x7F }) else { return false }
        return bytes.indices.allSatisfy { bytes[$0] != UInt8(ascii: "%") || escapedByte(at: $0, in: bytes[...]) != nil }
    }

    /// Whether it may take the answer to a request, as the documents tell.
    ///
    /// - Parameters:
    ///   - own: The schemes of the daemon.
    ///   - allowed: What the configuration lists, each in lower case: `app`, or `https://example.org`; nil without a list.
    ///   - origin: The way on which the request came in.
    /// - Returns: Whether it may.
    func isAllowed(own: [String], allowed: [String]?, for origin: Origin) -> Bool {
        let text = String(decoding: bytes, as: UTF8.self).lowercased()
        // A combining character may follow the colon.
        let scheme = String(decoding: text.utf8.prefix { $0 != UInt8(ascii: ":") }, as: UTF8.self)
        if own.contains(scheme) || scheme == "xcallback" { return true }
        let refused = ["javascript", "data", "file", "vbscript", "shell", "blob", "about"]
        if refused.contains(scheme) || scheme.hasPrefix("ms-") { return false }
        guard let allowed else { return origin != .desktop && scheme != "http" && scheme != "https" }
        return allowed.contains { entry in
            guard entry.contains(":") else { return entry == scheme }
            guard text.utf8.starts(with: entry.utf8) else { return false }
            let next = text.utf8.dropFirst(entry.utf8.count).first
            return next.map { "/?#".utf8.contains($0) } ?? true
        }
    }

    /// Whether it is a page's URL that ends in `#`, which has its items behind it.
    private var takesItemsAtEnd: Bool {
        let scheme = String(decoding: bytes.prefix { $0 != UInt8(ascii: ":") }, as: UTF8.self).lowercased()
        return ["http", "https"].contains(scheme) && bytes.firstIndex(of: UInt8(ascii: "#")) == bytes.endIndex - 1
    }

    /// The URL with items added to its query: what has the name of one of them makes way.
    func url(adding items: [QueryItems.Item]) -> [UInt8] {
        if items.isEmpty { return bytes }
        let added = items.map { item in encoded(item.name) + (item.value.map { "=" + encoded($0) } ?? "") }
            .joined(separator: "&").utf8
        if takesItemsAtEnd { return bytes + added }
        let fragment = bytes[(bytes.firstIndex(of: UInt8(ascii: "#")) ?? bytes.endIndex)...]
        let rest = bytes[..<fragment.startIndex]
        let path = rest[..<(rest.firstIndex(of: UInt8(ascii: "?")) ?? rest.endIndex)]
        let names = items.map { Array($0.name.utf8) }
        let pieces = XCallbackFuzzing.pieces(of: rest[path.endIndex...])
        let kept = pieces.filter { piece in
            guard !piece.isEmpty else { return true }
            let name = decoded(piece.prefix { $0 != UInt8(ascii: "=") })
            return !names.contains { $0 == name }
        }
        var query = Array(kept.joined(separator: [UInt8(ascii: "&")]))
        if kept.last?.isEmpty == false { query.append(UInt8(ascii: "&")) }
        return path + "?".utf8 + query + added + fragment
    }

    /// The last items of an answer that went to it, decoded; as many as are asked for.
    func lastItems(_ count: Int, of answer: [UInt8]) -> [QueryItems.Item] {
        let fragment = answer.firstIndex(of: UInt8(ascii: "#")) ?? answer.endIndex
        let query = answer.firstIndex(of: UInt8(ascii: "?")) ?? answer.endIndex
        guard takesItemsAtEnd || query < fragment else { return [] }
        return pieces(of: takesItemsAtEnd ? answer[fragment...] : answer[query..<fragment]).suffix(count).map { piece in
            let name = piece.prefix { $0 != UInt8(ascii: "=") }
            let value = name.count == piece.count ? nil : piece[(name.endIndex + 1)...]
            return QueryItems.Item(
                name: String(decoding: decoded(name), as: UTF8.self),
                value: value.map { String(decoding: decoded($0), as: UTF8.self) })
        }
    }
}

/// What stands between the `&` of a query or fragment, which begins with a `?` or `#`.
private func pieces(of query: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
    query.dropFirst().split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false)
}

/// A text with all but unreserved characters encoded.
func encoded(_ text: some Sequence<UInt8>) -> String {
    let digits = Array("0123456789ABCDEF")
    return text.reduce(into: "") { encoded, byte in
        let character = Character(Unicode.Scalar(byte))
        if byte < 0x80, character.isLetter || character.isNumber || "-._~".contains(character) {
            encoded.append(character)
        } else {
            encoded += "%\(digits[Int(byte >> 4)])\(digits[Int(byte & 15)])"
        }
    }
}

private func encoded(_ text: String) -> String { encoded(text.utf8) }

/// The byte that the escape at a position stands for; nil if there is none.
private func escapedByte(at position: Int, in text: ArraySlice<UInt8>) -> UInt8? {
    let digits = text[position...].dropFirst().prefix(2)
    guard digits.count == 2, digits.allSatisfy({ $0 < 0x80 && Character(Unicode.Scalar($0)).isHexDigit }) else {
        return nil
    }
    return UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
}

private func decoded(_ text: ArraySlice<UInt8>) -> [UInt8] {
    var bytes: [UInt8] = []
    var position = text.startIndex
    while position < text.endIndex {
        let escaped = text[position] == UInt8(ascii: "%") ? escapedByte(at: position, in: text) : nil
        bytes.append(escaped ?? text[position])
        position += escaped == nil ? 1 : 3
    }
    return bytes
}
