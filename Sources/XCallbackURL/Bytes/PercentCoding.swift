import XCallbackBytes

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
@inline(__always)
func escapedByte(_ high: UInt8, _ low: UInt8) -> UInt8? {
    let high = hexadecimalValues[Int(high)]
    let low = hexadecimalValues[Int(low)]
    return high | low < 16 ? high << 4 | low : nil
}

/// The value of each byte as a hexadecimal digit, sixteen per row; 16 for other bytes.
private let hexadecimalValues: InlineArray<256, UInt8> = [
    16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16,
    16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16,
    16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16,
    0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 16, 16, 16, 16, 16, 16,
    16, 10, 11, 12, 13, 14, 15, 16, 16, 16, 16, 16, 16, 16, 16, 16,
    16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16,
    16, 10, 11, 12, 13, 14, 15, 16, 16, 16, 16, 16, 16, 16, 16, 16,
    16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16,
    16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16,
    16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16,
    16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16,
    16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16,
    16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16,
    16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16,
    16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16,
    16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16,
]

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
    @inline(__always)
    mutating func write(percentEncoding text: Span<UInt8>) {
        // A local copy, because the pointer could alias the writer itself.
        let target = target
        var end = end
        for index in text.indices {
            let byte = text[unchecked: index]
            if isUnreserved(byte) {
                target[end] = byte
                end &+= 1
            } else {
                target[end] = UInt8(ascii: "%")
                target[end &+ 1] = upperHexadecimalDigit(byte >> 4)
                target[end &+ 2] = upperHexadecimalDigit(byte & 15)
                end &+= 3
            }
        }
        self.end = end
    }
}

@inline(__always)
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
    // The comparison below never sees a percent sign, so without a form no byte becomes a space.
    let space = plusIsSpace ? UInt8(ascii: "+") : UInt8(ascii: "%")
    var end = start
    var index = 0
    var allBits: UInt8 = 0
    while index < text.count {
        var byte = text[index]
        index &+= 1
        if byte <= UInt8(ascii: "%") {
            if byte == UInt8(ascii: "%") {
                guard index &+ 1 < text.count, let escaped = escapedByte(text[index], text[index &+ 1]) else {
                    throw .badEscape
                }
                byte = escaped
                index &+= 2
            }
            guard byte != 0 else { throw .nul }
        } else if byte == space {
            byte = UInt8(ascii: " ")
        }
        allBits |= byte
        target[end] = byte
        end &+= 1
    }
    return (end - start, allBits)
}
