/// A captured piece: the index of its capture in the pattern, and the range of its bytes.
///
/// A parameter has one piece, and a wildcard has one for each segment, all with the same index and in order.
package struct Capture: Hashable, Sendable {
    /// The index into the pattern's ``RoutePattern/captures``.
    package let index: Int
    /// The range of the decoded bytes in the matched buffer.
    package let range: Range<Int>

    /// Creates a captured piece.
    package init(index: Int, range: Range<Int>) {
        self.index = index
        self.range = range
    }
}

extension [Capture] {
    /// Removes all captures but keeps the capacity; cheaper than `removeAll`, because there are few.
    mutating func clear() {
        while !isEmpty { removeLast() }
    }

    /// Reverses the captures from an index on, in place: a reversed slice would be a copy.
    mutating func reverse(from start: Int) {
        var (low, high) = (start, count - 1)
        while low < high {
            swapAt(low, high)
            low += 1
            high -= 1
        }
    }
}
