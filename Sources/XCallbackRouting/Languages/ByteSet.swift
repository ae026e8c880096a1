/// A set of bytes.
package struct ByteSet: Hashable, Sendable {
    private var words: SIMD4<UInt64> = [0, 0, 0, 0]

    /// Creates an empty set.
    package init() {}

    /// Creates the set of the bytes in ranges.
    package init(_ ranges: ClosedRange<UInt8>...) {
        for range in ranges { for byte in range { insert(byte) } }
    }

    /// Creates the set of the bytes of an ASCII text.
    package init(_ text: StaticString) {
        text.withUTF8Buffer { for byte in $0 { insert(byte) } }
    }

    /// Every byte.
    package static let all = Self(0...255)

    /// Whether the set is empty.
    var isEmpty: Bool { words == [0, 0, 0, 0] }

    /// Whether a byte is in the set.
    func contains(_ byte: UInt8) -> Bool {
        words[Int(byte >> 6)] & (1 << UInt64(byte & 63)) != 0
    }

    /// Adds a byte.
    mutating func insert(_ byte: UInt8) {
        words[Int(byte >> 6)] |= 1 << UInt64(byte & 63)
    }

    /// The bytes of this set that are not in another one.
    package func subtracting(_ other: Self) -> Self {
        var result = self
        result.words &= ~other.words
        return result
    }

    /// The bytes of both sets.
    package func union(_ other: Self) -> Self {
        var result = self
        result.words |= other.words
        return result
    }
}
