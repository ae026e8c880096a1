import XCallbackBytes

/// Divides what a client sends into lines: one URL a line, ended by LF or CR LF.
package struct LineDialect {
    /// What stands at a place of the input.
    package enum Item: Hashable {
        /// A line without its end, and where the next one begins.
        case line(Range<Int>, next: Int)
        /// Nothing that is whole; everything before the position is done with.
        case incomplete(from: Int)
        /// A line that is over the limit.
        case tooLong
    }

    /// How many bytes a line may have, without its end.
    package let limit: Int
    /// How much of the line that is not whole yet was searched for its end.
    private var searchedCount = 0

    /// Creates a dialect with a limit on its lines.
    package init(limit: Int) {
        self.limit = limit
    }

    /// Finds the next line that is not empty.
    ///
    /// - Parameters:
    ///   - input: All that was received and not consumed.
    ///   - start: Where to look.
    ///   - isAtEnd: Whether nothing will follow the input, so that a last line needs no end.
    /// - Returns: What was found.
    package mutating func next(in input: Span<UInt8>, from start: Int, isAtEnd: Bool) -> Item {
        var start = start
        while true {
            guard let end = indexOfLineFeed(in: input, from: start + searchedCount) else {
                // One byte more than the limit may be the CR before an LF.
                if input.count - start > limit + 1 { return .tooLong }
                searchedCount = input.count - start
                guard isAtEnd, start < input.count else { return .incomplete(from: start) }
                searchedCount = 0
                return line(start..<input.count, in: input, next: input.count) ?? .incomplete(from: input.count)
            }
            searchedCount = 0
            if let item = line(start..<end, in: input, next: end + 1) { return item }
            start = end + 1
        }
    }

    /// The line in a range, or nil if it is empty.
    private func line(_ range: Range<Int>, in input: Span<UInt8>, next: Int) -> Item? {
        var end = range.upperBound
        if end > range.lowerBound, input[end - 1] == UInt8(ascii: "\r") { end -= 1 }
        if end == range.lowerBound { return nil }
        return end - range.lowerBound > limit ? .tooLong : .line(range.lowerBound..<end, next: next)
    }
}
