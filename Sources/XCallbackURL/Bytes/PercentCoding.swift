import XCallbackBytes

/// What can be wrong with text in percent encoding.
package enum PercentDecodingFault: Error, Hashable, Sendable {
    /// A `%` that two hexadecimal digits do not follow.
    case badEscape
    /// The decoded text holds a NUL.
    case nul
    /// The decoded text is not UTF-8.
    case notUTF8
}

/// The byte that two hexadecimal digits stand for, or nil (RFC 3986, section 2.1).
@inline(__always)
func escapedByte(_ high: UInt8, _ low: UInt8) -> UInt8? {
    let high = hexadecimalValues[Int(high)]
    let low = hexadecimalValues[Int(low)]
    return high | low < 16 ? high << 4 | low : nil
}

/// The value of each byte as a hexadecimal digit, sixteen to a row; 16 for a byte that is none.
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

/// What percent-encoded text stands for, decoded once; nil if it does not decode to UTF-8 without NUL.
///
/// - Parameters:
///   - text: The encoded text.
///   - plusIsSpace: Whether `+` stands for a space, as HTML forms write it.
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

/// What is wrong with percent-encoded text, or nil.
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
    /// Appends text in percent encoding: every byte that is not unreserved becomes `%XX` (RFC 3986, section 2).
    package mutating func append(percentEncoding text: Span<UInt8>) {
        write(atMost: text.count * 3) { $0.write(percentEncoding: text) }
    }

    /// Appends what percent-encoded text stands for, decoded once.
    ///
    /// A `+` stays a plus unless the text comes from a form. After a throw nothing is appended.
    ///
    /// - Parameters:
    ///   - text: The encoded text.
    ///   - plusIsSpace: Whether `+` stands for a space, as HTML forms write it.
    /// - Throws: ``PercentDecodingFault`` when an escape is bad or the result is not UTF-8 without NUL.
    package mutating func append(
        percentDecoding text: Span<UInt8>, plusIsSpace: Bool = false
    ) throws(PercentDecodingFault) {
        reserve(text.count)
        let start = count
        let (length, allBits) = try text.withUnsafeBufferPointer { text throws(PercentDecodingFault) in
            // The decoded form is never longer than the text, so that what is written fits into the room.
            try bytes.withUnsafeMutableBufferPointer { target throws(PercentDecodingFault) in
                try decode(text, plusIsSpace: plusIsSpace, into: target, at: start)
            }
        }
        guard isText(start..<start + length, allBits) else { throw .notUTF8 }
        count = start + length
    }

    /// Whether bytes are UTF-8, given all of them joined by OR.
    private func isText(_ range: Range<Int>, _ allBits: UInt8) -> Bool {
        allBits < 0x80 || isUTF8(bytes.span.extracting(range))
    }
}

extension ByteWriter {
    /// Writes text in percent encoding, at most three bytes for each one.
    @inline(__always)
    mutating func write(percentEncoding text: Span<UInt8>) {
        // Local, as a pointer could point to the writer itself.
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

/// Decodes text into memory that has room for it.
///
/// - Returns: How many bytes were written, and all of them joined by OR.
private func decode(
    _ text: UnsafeBufferPointer<UInt8>, plusIsSpace: Bool, into target: UnsafeMutableBufferPointer<UInt8>,
    at start: Int
) throws(PercentDecodingFault) -> (length: Int, allBits: UInt8) {
    // Nothing that is a byte of its own is the percent sign, so without a form nothing stands for a space.
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
