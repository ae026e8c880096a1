/// A range of bytes with 32 bits for each end.
///
/// Ranges are kept for each part of each request; the buffers in which they lie are far below 4 GiB.
@usableFromInline
package struct ByteRange: Hashable, Sendable {
    @usableFromInline let start: UInt32
    @usableFromInline let end: UInt32

    /// Creates the short form of a range.
    @inlinable package init(_ range: Range<Int>) {
        start = UInt32(truncatingIfNeeded: range.lowerBound)
        end = UInt32(truncatingIfNeeded: range.upperBound)
    }

    /// The range.
    @inlinable package var range: Range<Int> { Range(uncheckedBounds: (Int(start), Int(end))) }
    /// Whether it stands for no range at all: it is at the very beginning of a buffer, where only a scheme can be.
    @inlinable package var isAbsent: Bool { end == 0 }
}
