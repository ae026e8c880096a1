/// Where the parts of any URL lie in its bytes (RFC 3986, section 3).
///
/// The bytes are checked: a scheme, no blank or control character, two hexadecimal digits after each `%`. What the
/// parts decode to is not looked at; that is for the one who opens the URL.
package struct URLLayout: Hashable, Sendable {
    /// The scheme, without its colon.
    package let scheme: Range<Int>
    /// What stands between `//` and the path: user, host and port; nil without `//`.
    package let authority: Range<Int>?
    /// What follows the first `?`, up to the fragment; nil without `?`.
    package let query: Range<Int>?
    /// Where the path ends: at the `?`, the `#` or the end.
    package let pathEnd: Int
    /// Where the fragment's `#` stands, or the end.
    package let fragmentStart: Int

    /// Finds the parts of a URL.
    ///
    /// - Throws: ``ActionURLError`` for a missing scheme, a raw blank or control, or a bad escape.
    package init(checking bytes: Span<UInt8>) throws(ActionURLError) {
        var scanner = URLScanner()
        var hasEscapes = false
        scheme = try scanner.readScheme(bytes)
        if scanner.skipSlashes(bytes) {
            authority = try scanner.read(bytes, until: [.slash, .question, .hash])
            hasEscapes = scanner.seen.contains(.percent)
        } else {
            authority = nil
        }
        _ = try scanner.read(bytes, until: [.question, .hash])
        hasEscapes = hasEscapes || scanner.seen.contains(.percent)
        pathEnd = scanner.position
        if scanner.skip(UInt8(ascii: "?"), in: bytes) {
            query = try scanner.read(bytes, until: .hash)
            hasEscapes = hasEscapes || scanner.seen.contains(.percent)
        } else {
            query = nil
        }
        fragmentStart = scanner.position
        _ = try scanner.read(bytes, until: [])
        if hasEscapes || scanner.seen.contains(.percent) { try checkEscapes(bytes) }
    }
}

private func checkEscapes(_ bytes: Span<UInt8>) throws(ActionURLError) {
    for offset in bytes.indices where bytes[offset] == UInt8(ascii: "%") {
        guard offset + 2 < bytes.count, hexadecimalValue(bytes[offset + 1]) != nil,
            hexadecimalValue(bytes[offset + 2]) != nil
        else { throw ActionURLError(.badEscape, at: offset) }
    }
}
