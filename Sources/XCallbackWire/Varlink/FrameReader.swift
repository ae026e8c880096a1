/// Splits the input of a connection into messages, each of which ends with a zero byte.
package struct FrameReader: Sendable {
    /// The default limit of a message, in bytes.
    package static let defaultLimit = 1 << 20

    /// The item at a position of the input.
    package enum Item: Hashable, Sendable {
        /// A message without its terminator, and the start of the next one.
        case frame(Range<Int>, next: Int)
        /// No complete message; all input before the position is consumed.
        case incomplete(from: Int)
        /// A message that exceeds the limit.
        case tooLong
    }

    /// The maximum size of a message in bytes, without its terminator.
    package let limit: Int
    /// The number of bytes of the incomplete message that were already searched.
    private var searchedCount = 0

    /// Creates a reader with a limit for messages.
    package init(limit: Int = defaultLimit) {
        self.limit = limit
    }

    /// Finds the next message.
    ///
    /// - Parameters:
    ///   - input: All received input that is not consumed.
    ///   - start: The position at which to start.
    /// - Returns: The item at the position.
    package mutating func next(in input: Span<UInt8>, from start: Int) -> Item {
        let end = indexOf(0, in: input, from: start + searchedCount)
        guard (end ?? input.count) - start <= limit else { return .tooLong }
        guard let end else {
            searchedCount = input.count - start
            return .incomplete(from: start)
        }
        searchedCount = 0
        return .frame(start..<end, next: end + 1)
    }
}
