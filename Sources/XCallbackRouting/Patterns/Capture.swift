/// One captured piece: which capture of the pattern it belongs to and where its bytes lie.
///
/// A parameter has one piece, a wildcard one for each segment, all with the same index and in order.
package struct Capture: Hashable, Sendable {
    /// The index into the pattern's ``RoutePattern/captures``.
    package let index: Int
    /// The place of the decoded bytes in the buffer that was matched.
    package let range: Range<Int>

    /// Creates a captured piece.
    package init(index: Int, range: Range<Int>) {
        self.index = index
        self.range = range
    }
}

extension [Capture] {
    /// Removes all captures and keeps the room, at less cost than `removeAll`: there are few.
    mutating func clear() {
        while !isEmpty { removeLast() }
    }

    /// Reverses the captures from an index on, in place: a reversed slice would be copied.
    mutating func reverse(from start: Int) {
        var (low, high) = (start, count - 1)
        while low < high {
            swapAt(low, high)
            low += 1
            high -= 1
        }
    }
}
