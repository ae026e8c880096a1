import XCallbackWire

/// Whether a byte is an unreserved character of RFC 3986, section 2.3: only these are written unencoded.
///
/// The table of all bytes is that of the parser (``ByteClass``).
@inline(__always)
package func isUnreserved(_ byte: UInt8) -> Bool {
    !ByteClass(byte).isDisjoint(with: .unreserved)
}

/// Returns the byte for two hexadecimal digits; nil if they are invalid (RFC 3986, section 2.1).
func escapedByte(_ high: UInt8, _ low: UInt8) -> UInt8? {
    guard let high = hexadecimalValue(high), let low = hexadecimalValue(low) else { return nil }
    return high << 4 | low
}

/// Returns the next decoded byte of percent-encoded text, and moves on; nil at the end and before an invalid escape.
package func nextDecodedByte(_ text: Span<UInt8>, _ position: inout Int) -> UInt8? {
    guard position < text.count else { return nil }
    guard text[position] == UInt8(ascii: "%") else {
        position += 1
        return text[position - 1]
    }
    guard position + 2 < text.count, let byte = escapedByte(text[position + 1], text[position + 2]) else { return nil }
    position += 3
    return byte
}

/// Decodes percent-encoded text once; nil if the result is not UTF-8 without NUL.
///
/// - Parameters:
///   - text: The encoded text.
///   - plusIsSpace: Whether `+` means a space, as in HTML forms.
/// - Returns: The decoded bytes, or nil.
package func percentDecoded(_ text: Span<UInt8>, plusIsSpace: Bool = false) -> [UInt8]? {
    try? percentDecoding(text, plusIsSpace: plusIsSpace)
}

/// Decodes percent-encoded text once, like ``percentDecoded(_:plusIsSpace:)``.
///
/// - Throws: ``ActionURLError``: `badEscape` with its position in the text; `nul` or `notUTF8` with the position 0.
func percentDecoding(_ text: Span<UInt8>, plusIsSpace: Bool = false) throws(ActionURLError) -> [UInt8] {
    var output: [UInt8] = []
    output.reserveCapacity(text.count)
    var index = 0
    while index < text.count {
        var byte = text[index]
        if byte == UInt8(ascii: "%") {
            guard index + 2 < text.count, let escaped = escapedByte(text[index + 1], text[index + 2]) else {
                throw ActionURLError(.badEscape, at: index)
            }
            byte = escaped
            index += 2
        } else if plusIsSpace, byte == UInt8(ascii: "+") {
            byte = UInt8(ascii: " ")
        }
        if byte == 0 { throw ActionURLError(.nul, at: 0) }
        output.append(byte)
        index += 1
    }
    if !isUTF8(output.span) { throw ActionURLError(.notUTF8, at: 0) }
    return output
}

/// Returns the position of the first `%` that is not followed by two hexadecimal digits; nil if there is none.
func offsetOfBadEscape(in bytes: Span<UInt8>) -> Int? {
    for offset in bytes.indices where bytes[offset] == UInt8(ascii: "%") {
        guard offset + 2 < bytes.count, escapedByte(bytes[offset + 1], bytes[offset + 2]) != nil else { return offset }
    }
    return nil
}

extension ByteBuffer {
    /// Appends text percent-encoded: every byte that is not unreserved becomes `%XX` (RFC 3986, section 2).
    package mutating func append(percentEncoding text: Span<UInt8>) {
        append(atMost: text.count * 3) { $0.append(percentEncoding: text) }
    }

    /// Appends a value in the path of another application's URL: percent-encoded, except for what separates nothing in any
    /// scheme, and may have a meaning, such as the plus of a telephone number (RFC 3261, section 19.1.4).
    package mutating func append(percentEncodingInPath text: Span<UInt8>) {
        for index in text.indices {
            if "+!'()*".utf8.contains(text[index]) {
                append(text[index])
            } else {
                append(percentEncoding: text.extracting(index..<index + 1))
            }
        }
    }
}

extension OutputSpan<UInt8> {
    /// Appends text percent-encoded, which takes at most three bytes per byte.
    mutating func append(percentEncoding text: Span<UInt8>) {
        for index in text.indices {
            let byte = text[index]
            if isUnreserved(byte) {
                append(byte)
            } else {
                append(UInt8(ascii: "%"))
                append(upperHexadecimalDigit(byte >> 4))
                append(upperHexadecimalDigit(byte & 15))
            }
        }
    }
}

private func upperHexadecimalDigit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
}

extension String {
    /// The URL with its raw blanks and control characters percent-encoded.
    ///
    /// People type them, and browsers encode them; some desktops pass them on unencoded.
    package var withEncodedBlanks: String {
        guard hasRawControl(utf8.span) else { return self }
        var output = ByteBuffer()
        for byte in utf8 {
            if ByteClass(byte) == .control { output.append(percentEncoding: [byte].span) } else { output.append(byte) }
        }
        return String(decoding: output.contents, as: UTF8.self)
    }
}
