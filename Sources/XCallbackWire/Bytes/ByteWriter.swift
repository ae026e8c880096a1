/// Writes bytes sequentially into memory that is known to be large enough.
///
/// Its creator sets the maximum number of bytes; debug builds check each byte against it.
@usableFromInline
package struct ByteWriter {
    @usableFromInline package let target: UnsafeMutableBufferPointer<UInt8>
    /// The position after the last byte.
    @usableFromInline package var end: Int

    @inlinable @inline(__always)
    package init(_ target: UnsafeMutableBufferPointer<UInt8>, at end: Int) {
        self.target = target
        self.end = end
    }

    /// Writes a byte.
    @inlinable @inline(__always)
    package mutating func write(_ byte: UInt8) {
        target[end] = byte
        end += 1
    }

    /// Writes bytes unchanged.
    @inlinable @inline(__always)
    package mutating func write(_ bytes: Span<UInt8>) {
        assert(bytes.count <= target.count - end)
        bytes.withUnsafeBytes { bytes in
            guard let source = bytes.baseAddress, let target = target.baseAddress else { return }
            UnsafeMutableRawPointer(target + end).copyMemory(from: source, byteCount: bytes.count)
        }
        end += bytes.count
    }
}
