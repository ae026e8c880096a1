extension [UInt8] {
    /// Creates a copy of bytes of another buffer.
    package init(copying bytes: Span<UInt8>) {
        self = bytes.withUnsafeBufferPointer { Array($0) }
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

/// Whether two texts are the same byte by byte; strings are equal too if they only look alike: `é`, and `e` with an accent.
package func areEqual(_ first: String, _ second: String) -> Bool {
    // Most that differ are not equally long.
    guard first.utf8.count == second.utf8.count else { return false }
    var (first, second) = (first, second)
    return first.withUTF8 { first in second.withUTF8 { areEqual(first.span, $0.span) } }
}

extension String {
    /// Whether there is a byte of some kind.
    ///
    /// The bytes are looked at where they lie: each step over those of `utf8` asks where that is.
    @inlinable
    package func hasByte(where fits: (UInt8) -> Bool) -> Bool {
        var text = self
        return text.withUTF8 { $0.contains(where: fits) }
    }
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
package func areEqual(_ bytes: Span<UInt8>, _ text: StaticString) -> Bool {
    text.withUTF8Buffer { areEqual(bytes, $0.span) }
}

/// Whether bytes are those of a text when ASCII letters are compared without case.
package func areEqualIgnoringCase(_ bytes: Span<UInt8>, _ text: StaticString) -> Bool {
    text.withUTF8Buffer { areEqualIgnoringCase(bytes, $0.span) }
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
@inlinable @inline(__always)
package func asciiLowercase(_ byte: UInt8) -> UInt8 {
    UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte ? byte | 0x20 : byte
}

extension String {
    /// Creates a string from bytes that are known to be UTF-8; anything else becomes U+FFFD.
    package init(utf8 bytes: Span<UInt8>) {
        self = bytes.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
    }
}
