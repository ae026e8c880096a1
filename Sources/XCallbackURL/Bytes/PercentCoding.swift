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

extension [UInt8] {
    /// Creates a copy of bytes of another buffer.
    package init(copying bytes: Span<UInt8>) {
        self = bytes.withUnsafeBufferPointer { Array($0) }
    }
}

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

/// Whether bytes are well-formed UTF-8.
package func isUTF8(_ bytes: Span<UInt8>) -> Bool {
    do {
        _ = try UTF8Span(validating: bytes)
        return true
    } catch {
        return false
    }
}

/// Whether two runs of bytes are the same.
package func areEqual(_ first: Span<UInt8>, _ second: Span<UInt8>) -> Bool {
    let count = first.count
    guard count == second.count else { return false }
    let first = first.bytes
    let second = second.bytes
    // Words at a time, the last of which overlaps the one before; all loads stay within the runs.
    guard count >= 8 else {
        guard count >= 4 else { return areEqual(first, second, upTo: count) }
        return areEqual(first, second, at: 0, as: UInt32.self)
            && areEqual(first, second, at: count - 4, as: UInt32.self)
    }
    var offset = 0
    while offset < count - 8 {
        guard areEqual(first, second, at: offset, as: UInt64.self) else { return false }
        offset += 8
    }
    return areEqual(first, second, at: count - 8, as: UInt64.self)
}

/// Whether the words at an offset are the same; they must lie within both runs.
@inline(__always)
private func areEqual<Word: FixedWidthInteger & BitwiseCopyable>(
    _ first: RawSpan, _ second: RawSpan, at offset: Int, as type: Word.Type
) -> Bool {
    first.unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: type)
        == second.unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: type)
}

/// Whether the first bytes are the same; there must be as many.
@inline(__always)
private func areEqual(_ first: RawSpan, _ second: RawSpan, upTo count: Int) -> Bool {
    for offset in 0..<count where !areEqual(first, second, at: offset, as: UInt8.self) { return false }
    return true
}

/// Whether bytes are those of a text.
@inline(__always)
func areEqual(_ bytes: Span<UInt8>, _ text: StaticString) -> Bool {
    text.withUTF8Buffer { areEqual(bytes, $0.span) }
}

/// Whether two runs of bytes are the same when ASCII letters are compared without case.
package func areEqualIgnoringCase(_ first: Span<UInt8>, _ second: Span<UInt8>) -> Bool {
    guard first.count == second.count else { return false }
    // Nearly always they are the same to the letter.
    if areEqual(first, second) { return true }
    for index in first.indices where asciiLowercase(first[index]) != asciiLowercase(second[index]) { return false }
    return true
}

/// The lower-case form of an ASCII letter; any other byte as it is.
@inline(__always)
package func asciiLowercase(_ byte: UInt8) -> UInt8 {
    UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte ? byte | 0x20 : byte
}

extension String {
    /// Creates a string from bytes that are known to be UTF-8; anything else becomes U+FFFD.
    package init(utf8 bytes: Span<UInt8>) {
        self = bytes.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
    }
}
