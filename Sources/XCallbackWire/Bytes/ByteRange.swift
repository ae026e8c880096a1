/// A range of bytes with 32-bit bounds.
///
/// Ranges are stored for each part of each request; the buffers that they refer to are far smaller than 4 GiB.
@usableFromInline
package struct ByteRange: Hashable, Sendable {
    @usableFromInline let start: UInt32
    @usableFromInline let end: UInt32

    /// Creates the compact form of a range.
    @inlinable package init(_ range: Range<Int>) {
        start = UInt32(truncatingIfNeeded: range.lowerBound)
        end = UInt32(truncatingIfNeeded: range.upperBound)
    }

    /// The range.
    @inlinable package var range: Range<Int> { Int(start)..<Int(end) }
    /// Whether it means no range: it is at the very start of a buffer, where only a scheme can be.
    @inlinable package var isAbsent: Bool { end == 0 }
}
