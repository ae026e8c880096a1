import Glibc

/// Divides what comes over a connection into messages, each of which ends with a zero byte.
package struct FrameReader: Sendable {
    /// How many bytes a message may have if nothing else is said.
    package static let defaultLimit = 1 << 20

    /// What stands at a place of the input.
    package enum Item: Hashable, Sendable {
        /// A message without its end, and where the next one begins.
        case frame(Range<Int>, next: Int)
        /// Nothing that is whole; everything before the position is done with.
        case incomplete(from: Int)
        /// A message that is over the limit.
        case tooLong
    }

    /// How many bytes a message may have, without its end.
    package let limit: Int
    /// How much of the message that is not whole yet was searched for its end.
    private var searchedCount = 0

    /// Creates a reader with a limit on the messages.
    package init(limit: Int = defaultLimit) {
        self.limit = limit
    }

    /// Finds the next message.
    ///
    /// - Parameters:
    ///   - input: All that was received and not consumed.
    ///   - start: Where to look.
    /// - Returns: What was found.
    package mutating func next(in input: Span<UInt8>, from start: Int) -> Item {
        let end = indexOfZero(in: input, from: start + searchedCount)
        guard (end ?? input.count) - start <= limit else { return .tooLong }
        guard let end else {
            searchedCount = input.count - start
            return .incomplete(from: start)
        }
        searchedCount = 0
        return .frame(start..<end, next: end + 1)
    }
}

/// The position of the first zero byte at or after a place, or nil.
private func indexOfZero(in bytes: Span<UInt8>, from start: Int) -> Int? {
    bytes.withUnsafeBufferPointer { buffer in
        guard start < buffer.count, let base = buffer.baseAddress,
            let found = memchr(base + start, 0, buffer.count - start)
        else { return nil }
        return UnsafeRawPointer(base).distance(to: UnsafeRawPointer(found))
    }
}
