/// The ranges of a URL's parts in its bytes (RFC 3986, section 3).
///
/// The bytes are validated: a scheme, no blank or control character, two hexadecimal digits after each `%`. The
/// parts are not decoded, which is up to the program that opens the URL.
@usableFromInline
package struct URLLayout: Hashable, Sendable {
    // 32-bit offsets, because a layout is copied with each request. URLs are far shorter than 4 GiB.
    @usableFromInline let schemeEnd: UInt32
    private let authorityStart: UInt32
    private let authorityEnd: UInt32
    private let pathLimit: UInt32
    private let fragmentLimit: UInt32

    /// The scheme, without its colon.
    @inlinable package var scheme: Range<Int> { 0..<Int(schemeEnd) }
    /// The part between `//` and the path: user, host and port; nil without `//`.
    package var authority: Range<Int>? {
        authorityStart == 0 ? nil : Int(authorityStart)..<Int(authorityEnd)
    }
    /// The part after the first `?`, up to the fragment; nil without `?`.
    package var query: Range<Int>? {
        pathLimit < fragmentLimit ? Int(pathLimit) + 1..<Int(fragmentLimit) : nil
    }
    /// The end of the path: the `?`, the `#` or the end of the URL.
    package var pathEnd: Int { Int(pathLimit) }
    /// The position of the fragment's `#`, or the end.
    package var fragmentStart: Int { Int(fragmentLimit) }

    /// Finds the parts of a URL.
    ///
    /// - Parameters:
    ///   - bytes: The URL.
    ///   - escapes: Whether escapes are checked.
    /// - Throws: ``ActionURLError`` for a missing scheme, a raw blank or control character, or an invalid escape.
    package init(checking bytes: Span<UInt8>, escapes: Bool = true) throws(ActionURLError) {
        self = try bytes.withUnsafeBufferPointer { bytes throws(ActionURLError) in try URLLayout(bytes, escapes) }
    }

    private init(_ bytes: UnsafeBufferPointer<UInt8>, _ checksEscapes: Bool) throws(ActionURLError) {
        guard let first = bytes.first, isSchemeByte(first, isFirst: true) else {
            throw ActionURLError(.missingScheme, at: 0)
        }
        let colon = bytes.firstIndex { !isSchemeByte($0, isFirst: false) }
        guard var position = colon, bytes[position] == UInt8(ascii: ":") else {
            throw ActionURLError(.missingScheme, at: 0)
        }
        var hasEscapes = false
        schemeEnd = UInt32(truncatingIfNeeded: position)
        position += 1
        var authority = (start: 0, end: 0)
        if position + 1 < bytes.count, bytes[position] == UInt8(ascii: "/"),
            bytes[position + 1] == UInt8(ascii: "/")
        {
            position += 2
            authority.start = position
            position = end(of: bytes, from: position, at: [.slash, .question, .hash], &hasEscapes)
            authority.end = position
        }
        authorityStart = UInt32(truncatingIfNeeded: authority.start)
        authorityEnd = UInt32(truncatingIfNeeded: authority.end)
        position = end(of: bytes, from: position, at: [.question, .hash], &hasEscapes)
        pathLimit = UInt32(truncatingIfNeeded: position)
        position = end(of: bytes, from: position, at: .hash, &hasEscapes)
        fragmentLimit = UInt32(truncatingIfNeeded: position)
        position = end(of: bytes, from: position, at: [], &hasEscapes)
        guard position == bytes.count else { throw ActionURLError(.rawControl, at: position) }
        guard hasEscapes, checksEscapes else { return }
        if let offset = offsetOfBadEscape(in: bytes.span) { throw ActionURLError(.badEscape, at: offset) }
    }
}

/// Returns the position of the first byte of one of the classes, of the first control character, or the end.
private func end(
    of bytes: UnsafeBufferPointer<UInt8>, from start: Int, at stops: ByteClass, _ hasEscapes: inout Bool
) -> Int {
    let special = stops.union([.control, .percent])
    var position = start
    while position < bytes.count {
        let byteClass = ByteClass(bytes[position])
        if !byteClass.isDisjoint(with: special) {
            guard byteClass == .percent else { break }
            hasEscapes = true
        }
        position += 1
    }
    return position
}
