/// Sixteen consecutive bytes that are examined together.
struct ByteBlock {
    /// The number of bytes.
    static var size: Int { 16 }

    private let bytes: SIMD16<UInt8>

    /// Reads the bytes at a position; all of them must be within the memory.
    @inline(__always)
    init(_ memory: UnsafeMutableBufferPointer<UInt8>, at position: Int) {
        assert(position >= 0 && position + Self.size <= memory.count)
        bytes = UnsafeRawPointer(memory.baseAddress.unsafelyUnwrapped)
            .loadUnaligned(fromByteOffset: position, as: SIMD16<UInt8>.self)
    }

    /// Writes the bytes at a position; all of them must be within the memory.
    @inline(__always)
    func write(to memory: UnsafeMutableBufferPointer<UInt8>, at position: Int) {
        assert(position >= 0 && position + Self.size <= memory.count)
        UnsafeMutableRawPointer(memory.baseAddress.unsafelyUnwrapped)
            .storeBytes(of: bytes, toByteOffset: position, as: SIMD16<UInt8>.self)
    }

    /// Returns the number of leading bytes that certainly represent themselves in a part of a URL
    /// (``ByteClass/isPlain(until:)``).
    ///
    /// More bytes may do so: `!`, `"` and `$` are confused with their neighbors.
    ///
    /// - Parameter stops: The classes that end the part; either `/`, `?` and `#`, or `&` and `#`, with or
    ///   without `=`.
    /// - Returns: The number of bytes, up to ``size``.
    @inline(__always)
    func plainLength(until stops: ByteClass) -> Int {
        // Each sum and difference concerns one byte, and sets its highest bit for the bytes to find:
        // arithmetic compiles to a few instructions, while vector comparisons are compiled element by element. Bytes
        // below "'" are control characters, the blank, `#`, `%`, `&` and the three above. For non-ASCII bytes the sum
        // misses one value, which the difference finds.
        var marks = (bytes &+ 1) | (bytes &- UInt8(ascii: "'"))
        if stops.contains(.equals) { marks |= (bytes ^ UInt8(ascii: "=")) &- 1 }
        // A slash and a question mark differ in one bit.
        if stops.contains(.slash) { marks |= ((bytes | 0x10) ^ UInt8(ascii: "?")) &- 1 }
        let halves = unsafeBitCast(marks & 0x80, to: SIMD2<UInt64>.self)
        if halves[0] != 0 { return UInt64(littleEndian: halves[0]).trailingZeroBitCount / 8 }
        return UInt64(littleEndian: halves[1]).trailingZeroBitCount / 8 &+ 8
    }
}
