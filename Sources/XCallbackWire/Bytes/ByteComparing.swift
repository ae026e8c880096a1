import Glibc

extension [UInt8] {
    /// Creates a copy of bytes.
    package init(copying bytes: Span<UInt8>) {
        self = bytes.withUnsafeBufferPointer { Array($0) }
    }
}

/// Whether bytes are well-formed UTF-8.
package func isUTF8(_ bytes: Span<UInt8>) -> Bool {
    if let _ = try? UTF8Span(validating: bytes) { true } else { false }
}

/// Whether two byte sequences are equal.
@usableFromInline
package func areEqual(_ first: Span<UInt8>, _ second: Span<UInt8>) -> Bool {
    guard first.count == second.count else { return false }
    for index in first.indices where first[index] != second[index] { return false }
    return true
}

/// Whether two strings are equal byte by byte; `==` also considers canonical equivalents equal: `é`, and `e` with a
/// combining accent.
package func areEqual(_ first: String, _ second: String) -> Bool {
    areEqual(first.utf8.span, second.utf8.span)
}

/// Whether bytes equal those of a text.
@inlinable @inline(__always)
package func areEqual(_ bytes: Span<UInt8>, _ text: StaticString) -> Bool {
    // Most texts differ in their length.
    bytes.count == text.utf8CodeUnitCount && text.withUTF8Buffer { areEqual(bytes, $0.span) }
}

/// Whether bytes equal those of a text, ignoring the case of ASCII letters.
package func areEqualIgnoringCase(_ bytes: Span<UInt8>, _ text: StaticString) -> Bool {
    text.withUTF8Buffer { areEqualIgnoringCase(bytes, $0.span) }
}

/// Whether two byte sequences are equal, ignoring the case of ASCII letters.
package func areEqualIgnoringCase(_ first: Span<UInt8>, _ second: Span<UInt8>) -> Bool {
    guard first.count == second.count else { return false }
    // Most texts are spelled alike.
    if areEqual(first, second) { return true }
    for index in first.indices where first[index] != second[index] {
        if asciiLowercase(first[index]) != asciiLowercase(second[index]) { return false }
    }
    return true
}

/// Whether a byte is a decimal digit.
@inlinable @inline(__always)
package func isDigit(_ byte: UInt8) -> Bool {
    UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
}

/// Returns the value of a hexadecimal digit in any case; nil for any other byte.
@inlinable @inline(__always)
package func hexadecimalValue(_ digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
    case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
    default: nil
    }
}

/// Returns the lowercase form of an ASCII letter, and any other byte unchanged.
@inlinable @inline(__always)
package func asciiLowercase(_ byte: UInt8) -> UInt8 {
    UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte ? byte | 0x20 : byte
}

extension String {
    /// Creates a string from bytes that are known to be UTF-8; invalid bytes become U+FFFD.
    package init(utf8 bytes: Span<UInt8>) {
        self = bytes.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
    }
}

extension StringProtocol {
    /// Whether the text contains another one, byte by byte.
    package func contains(text other: String) -> Bool {
        utf8.position(of: other.utf8) != nil
    }
}

extension String {
    /// Replaces each occurrence of a text, byte by byte.
    ///
    /// - Parameters:
    ///   - part: The text to replace; not empty.
    ///   - other: The replacement.
    /// - Returns: The new text.
    package func replacing(each part: String, with other: String) -> String {
        var result = ""
        var rest = utf8[...]
        while let start = rest.position(of: part.utf8) {
            result += Substring(rest[..<start])
            result += other
            rest = rest[start...].dropFirst(part.utf8.count)
        }
        return result + Substring(rest)
    }
}

extension Collection<UInt8> {
    fileprivate func position(of part: String.UTF8View) -> Index? {
        guard let first = part.first else { return startIndex }
        return indices.first { self[$0] == first && self[$0...].starts(with: part) }
    }
}

/// Returns the position of the next byte of a value; nil if there is none.
package func indexOf(_ byte: UInt8, in bytes: Span<UInt8>, from start: Int) -> Int? {
    bytes.withUnsafeBytes { buffer in
        guard start < buffer.count, let base = buffer.baseAddress,
            let found = memchr(base + start, Int32(byte), buffer.count - start)
        else { return nil }
        return base.distance(to: UnsafeRawPointer(found))
    }
}
