import XCallbackWire

/// A fault in percent-encoded text.
package enum PercentDecodingFault: Error, Hashable, Sendable {
    /// A `%` that is not followed by two hexadecimal digits.
    case badEscape
    /// The decoded text contains a NUL.
    case nul
    /// The decoded text is not UTF-8.
    case notUTF8
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

private func hexadecimalValue(_ digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
    case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
    default: nil
    }
}

/// Decodes percent-encoded text once; nil if the result is not UTF-8 without NUL.
///
/// - Parameters:
///   - text: The encoded text.
///   - plusIsSpace: Whether `+` means a space, as in HTML forms.
/// - Returns: The decoded bytes, or nil.
package func percentDecoded(_ text: Span<UInt8>, plusIsSpace: Bool = false) -> [UInt8]? {
    var output = ByteBuffer()
    do {
        try output.append(percentDecoding: text, plusIsSpace: plusIsSpace)
        return output.contents
    } catch {
        return nil
    }
}

/// Returns the fault in percent-encoded text; nil if it is valid.
func percentDecodingFault(in text: Span<UInt8>) -> PercentDecodingFault? {
    var output = ByteBuffer()
    do throws(PercentDecodingFault) {
        try output.append(percentDecoding: text)
        return nil
    } catch {
        return error
    }
}

extension ByteBuffer {
    /// Appends text percent-encoded: every byte that is not unreserved becomes `%XX` (RFC 3986, section 2).
    package mutating func append(percentEncoding text: Span<UInt8>) {
        write(atMost: text.count * 3) { $0.write(percentEncoding: text) }
    }

    /// Appends percent-encoded text decoded once.
    ///
    /// A `+` stays a plus unless the text is from a form. After an error nothing is appended.
    ///
    /// - Parameters:
    ///   - text: The encoded text.
    ///   - plusIsSpace: Whether `+` means a space, as in HTML forms.
    /// - Throws: ``PercentDecodingFault`` if an escape is invalid or the result is not UTF-8 without NUL.
    package mutating func append(
        percentDecoding text: Span<UInt8>, plusIsSpace: Bool = false
    ) throws(PercentDecodingFault) {
        reserve(text.count)
        let start = count
        let (length, allBits) = try text.withUnsafeBufferPointer { text throws(PercentDecodingFault) in
            // The decoded form is never longer than the text, so the output fits.
            try bytes.withUnsafeMutableBufferPointer { target throws(PercentDecodingFault) in
                try decode(text, plusIsSpace: plusIsSpace, into: target, at: start)
            }
        }
        guard isText(start..<start + length, allBits) else { throw .notUTF8 }
        count = start + length
    }

    /// Whether bytes are UTF-8, given the OR of all of them.
    private func isText(_ range: Range<Int>, _ allBits: UInt8) -> Bool {
        allBits < 0x80 || isUTF8(bytes.span.extracting(range))
    }
}

extension ByteWriter {
    /// Writes text percent-encoded, with at most three bytes per byte.
    mutating func write(percentEncoding text: Span<UInt8>) {
        for index in text.indices {
            let byte = text[index]
            if isUnreserved(byte) {
                write(byte)
            } else {
                write(UInt8(ascii: "%"))
                write(upperHexadecimalDigit(byte >> 4))
                write(upperHexadecimalDigit(byte & 15))
            }
        }
    }
}

private func upperHexadecimalDigit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
}

/// Decodes text into memory that is large enough.
///
/// - Returns: The number of bytes written, and the OR of all of them.
private func decode(
    _ text: UnsafeBufferPointer<UInt8>, plusIsSpace: Bool, into target: UnsafeMutableBufferPointer<UInt8>,
    at start: Int
) throws(PercentDecodingFault) -> (length: Int, allBits: UInt8) {
    var end = start
    var index = 0
    var allBits: UInt8 = 0
    while index < text.count {
        var byte = text[index]
        index += 1
        if byte == UInt8(ascii: "%") {
            guard index + 1 < text.count, let escaped = escapedByte(text[index], text[index + 1]) else {
                throw .badEscape
            }
            byte = escaped
            index += 2
        } else if plusIsSpace, byte == UInt8(ascii: "+") {
            byte = UInt8(ascii: " ")
        }
        guard byte != 0 else { throw .nul }
        allBits |= byte
        target[end] = byte
        end += 1
    }
    return (end - start, allBits)
}

extension String {
    /// The URL with its raw blanks and control characters percent-encoded.
    ///
    /// People type them, and browsers encode them; some desktops pass them on unencoded.
    package var withEncodedBlanks: String {
        guard utf8.contains(where: isBlankOrControl) else { return self }
        var output = ByteBuffer()
        for byte in utf8 {
            if isBlankOrControl(byte) { output.append(percentEncoding: [byte].span) } else { output.append(byte) }
        }
        return String(decoding: output.contents, as: UTF8.self)
    }
}

private func isBlankOrControl(_ byte: UInt8) -> Bool { byte <= 0x20 || byte == 0x7F }
