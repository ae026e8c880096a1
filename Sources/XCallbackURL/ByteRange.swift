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
    @inlinable package var range: Range<Int> { Int(start)..<Int(end) }
    /// Whether there are no bytes in it.
    @inlinable package var isEmpty: Bool { start == end }
}
