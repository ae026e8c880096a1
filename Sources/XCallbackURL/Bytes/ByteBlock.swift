/// Sixteen bytes in a row that are looked at together.
struct ByteBlock {
    /// How many bytes it has.
    static var size: Int { 16 }

    private let bytes: SIMD16<UInt8>

    /// Reads the bytes from a position on; memory must have as many.
    @inline(__always)
    init(_ memory: UnsafeMutableBufferPointer<UInt8>, at position: Int) {
        assert(position >= 0 && position + Self.size <= memory.count)
        bytes = UnsafeRawPointer(memory.baseAddress.unsafelyUnwrapped)
            .loadUnaligned(fromByteOffset: position, as: SIMD16<UInt8>.self)
    }

    /// Writes the bytes from a position on; memory must have room for them.
    @inline(__always)
    func write(to memory: UnsafeMutableBufferPointer<UInt8>, at position: Int) {
        assert(position >= 0 && position + Self.size <= memory.count)
        UnsafeMutableRawPointer(memory.baseAddress.unsafelyUnwrapped)
            .storeBytes(of: bytes, toByteOffset: position, as: SIMD16<UInt8>.self)
    }

    /// How many bytes at the beginning surely stand for themselves in a part of a URL (``ByteClass/isPlain(until:)``).
    ///
    /// The next one may do so, too: `!`, `"` and `$` are taken for one of their neighbours.
    ///
    /// - Parameter stops: The classes of which one ends the part; either `/`, `?` and `#`, or `&` and `#`, with or
    ///   without `=`.
    /// - Returns: The number of bytes, up to ``size``.
    @inline(__always)
    func plainLength(until stops: ByteClass) -> Int {
        // Each sum and difference is that of one byte, and sets its highest bit where the byte is one that is looked
        // for: arithmetic makes a few instructions of the processor, while comparisons of vectors are made one by one.
        // Bytes below "'" are control characters, the blank, `#`, `%`, `&` and the three. Of what is not ASCII the sum
        // misses one byte, which the difference finds.
        var marks = (bytes &+ 1) | (bytes &- UInt8(ascii: "'"))
        if stops.contains(.equals) { marks |= (bytes ^ UInt8(ascii: "=")) &- 1 }
        // A slash and a question mark differ in one bit.
        if stops.contains(.slash) { marks |= ((bytes | 0x10) ^ UInt8(ascii: "?")) &- 1 }
        let halves = unsafeBitCast(marks & 0x80, to: SIMD2<UInt64>.self)
        if halves[0] != 0 { return UInt64(littleEndian: halves[0]).trailingZeroBitCount / 8 }
        return UInt64(littleEndian: halves[1]).trailingZeroBitCount / 8 &+ 8
    }
}
