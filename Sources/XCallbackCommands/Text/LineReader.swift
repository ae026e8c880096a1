import Glibc
import XCallbackLinux

/// Splits the input of a descriptor into lines.
struct LineReader {
    /// A result of reading.
    enum Line: Sendable {
        /// A line without its ending; the last line needs none.
        case whole([UInt8])
        /// A line over the limit, which is skipped.
        case tooLong
        /// The end of the input.
        case end
    }

    private let descriptor: Int32
    private let limit: Int
    private var received: [UInt8] = []
    private var searchedCount = 0
    private var isAtEnd = false

    /// Creates a reader.
    ///
    /// - Parameters:
    ///   - descriptor: The input.
    ///   - limit: The maximum number of bytes in a line.
    init(_ descriptor: Int32, limit: Int) {
        self.descriptor = descriptor
        self.limit = limit
    }

    /// Reads the next line.
    ///
    /// - Throws: ``Failure`` if the descriptor cannot be read.
    mutating func next() throws(Failure) -> Line {
        var isTooLong = false
        while true {
            if let end = received[searchedCount...].firstIndex(of: UInt8(ascii: "\n")) {
                let line = Array(received[..<end])
                received.removeFirst(end + 1)
                searchedCount = 0
                return isTooLong || line.count > limit ? .tooLong : .whole(line)
            }
            searchedCount = received.count
            if searchedCount > limit {
                isTooLong = true
                (received, searchedCount) = ([], 0)
            }
            if isAtEnd {
                defer { (received, searchedCount) = ([], 0) }
                if isTooLong { return .tooLong }
                return received.isEmpty ? .end : .whole(received)
            }
            try fill()
        }
    }

    private mutating func fill() throws(Failure) {
        var chunk = [UInt8](repeating: 0, count: 65_536)
        let count = read(descriptor, &chunk, chunk.count)
        let code = errno
        if count < 0, code != EINTR { throw Failure(.errorAnswer, "cannot read lines: \(systemMessage(code))") }
        if count == 0 { isAtEnd = true }
        received += chunk.prefix(max(count, 0))
    }
}
