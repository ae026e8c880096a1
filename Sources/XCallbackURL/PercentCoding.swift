/// What can be wrong with text in percent encoding.
package enum PercentDecodingFault: Error, Hashable, Sendable {
    /// A `%` that two hexadecimal digits do not follow.
    case badEscape
    /// The decoded text holds a NUL.
    case nul
    /// The decoded text is not UTF-8.
    case notUTF8
}

/// The value of a hexadecimal digit, or nil (RFC 3986, section 2.1).
@inline(__always)
package func hexadecimalValue(_ byte: UInt8) -> UInt8? {
    let value = hexadecimalValues[Int(byte)]
    return value < 16 ? value : nil
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

/// Whether a byte is an unreserved character of RFC 3986, section 2.3: the only ones that are written as they are.
@inline(__always)
package func isUnreserved(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"),
        UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"):
        true
    default: false
    }
}

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
    guard first.count == second.count else { return false }
    let first = first.bytes
    let second = second.bytes
    var offset = 0
    // Eight bytes at a time; the loads stay within the runs.
    while offset + 8 <= first.byteCount {
        let isSame =
            first.unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UInt64.self)
            == second.unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UInt64.self)
        guard isSame else { return false }
        offset += 8
    }
    while offset < first.byteCount {
        let isSame =
            first.unsafeLoad(fromUncheckedByteOffset: offset, as: UInt8.self)
            == second.unsafeLoad(fromUncheckedByteOffset: offset, as: UInt8.self)
        guard isSame else { return false }
        offset += 1
    }
    return true
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
