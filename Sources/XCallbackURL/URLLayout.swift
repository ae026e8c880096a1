/// Where the parts of any URL lie in its bytes (RFC 3986, section 3).
///
/// The bytes are checked: a scheme, no blank or control character, two hexadecimal digits after each `%`. What the
/// parts decode to is not looked at; that is for the one who opens the URL.
package struct URLLayout: Hashable, Sendable {
    // Offsets of 32 bits: a layout is copied along with each request. URLs are far below 4 GiB.
    private let schemeEnd: UInt32
    private let authorityStart: UInt32
    private let authorityEnd: UInt32
    private let pathLimit: UInt32
    private let fragmentLimit: UInt32

    /// The scheme, without its colon.
    package var scheme: Range<Int> { 0..<Int(schemeEnd) }
    /// What stands between `//` and the path: user, host and port; nil without `//`.
    package var authority: Range<Int>? {
        authorityStart == 0 ? nil : Int(authorityStart)..<Int(authorityEnd)
    }
    /// What follows the first `?`, up to the fragment; nil without `?`.
    package var query: Range<Int>? {
        pathLimit < fragmentLimit ? Int(pathLimit) + 1..<Int(fragmentLimit) : nil
    }
    /// Where the path ends: at the `?`, the `#` or the end.
    package var pathEnd: Int { Int(pathLimit) }
    /// Where the fragment's `#` stands, or the end.
    package var fragmentStart: Int { Int(fragmentLimit) }

    /// Finds the parts of a URL.
    ///
    /// - Throws: ``ActionURLError`` for a missing scheme, a raw blank or control, or a bad escape.
    package init(checking bytes: Span<UInt8>) throws(ActionURLError) {
        self = try bytes.withUnsafeBufferPointer { bytes throws(ActionURLError) in try URLLayout(bytes) }
    }

    private init(_ bytes: UnsafeBufferPointer<UInt8>) throws(ActionURLError) {
        var scanner = URLScanner(bytes)
        var seen: ByteClass = []
        schemeEnd = UInt32(clamping: try scanner.readScheme().upperBound)
        var authority = 0..<0
        if scanner.skipSlashes() {
            authority = try scanner.read(until: [.slash, .question, .hash])
            seen.formUnion(scanner.seen)
        }
        authorityStart = UInt32(clamping: authority.lowerBound)
        authorityEnd = UInt32(clamping: authority.upperBound)
        pathLimit = UInt32(clamping: try scanner.read(until: [.question, .hash]).upperBound)
        seen.formUnion(scanner.seen)
        if scanner.skip(UInt8(ascii: "?")) {
            _ = try scanner.read(until: .hash)
            seen.formUnion(scanner.seen)
        }
        fragmentLimit = UInt32(clamping: scanner.position)
        _ = try scanner.read(until: [])
        seen.formUnion(scanner.seen)
        if seen.contains(.percent) { try checkEscapes(bytes) }
    }
}

private func checkEscapes(_ bytes: UnsafeBufferPointer<UInt8>) throws(ActionURLError) {
    for offset in bytes.indices where bytes[offset] == UInt8(ascii: "%") {
        guard offset + 2 < bytes.count, hexadecimalValue(bytes[offset + 1]) != nil,
            hexadecimalValue(bytes[offset + 2]) != nil
        else { throw ActionURLError(.badEscape, at: offset) }
    }
}
