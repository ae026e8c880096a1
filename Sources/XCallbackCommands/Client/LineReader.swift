import Glibc
import XCallbackLinux

/// Divides what a descriptor gives into lines.
struct LineReader {
    /// What comes next.
    enum Line: Sendable {
        /// A line without its end; the last one needs none.
        case whole([UInt8])
        /// A line that has more bytes than it may; it is skipped.
        case tooLong
        /// There are no more.
        case end
    }

    private let descriptor: Int32
    private let limit: Int
    private var received: [UInt8] = []
    private var searchedCount = 0
    private var isAtEnd = false

    /// Begins to read.
    ///
    /// - Parameters:
    ///   - descriptor: Where the lines come from.
    ///   - limit: How many bytes a line may have.
    init(_ descriptor: Int32, limit: Int) {
        self.descriptor = descriptor
        self.limit = limit
    }

    /// Reads the next line.
    ///
    /// - Throws: ``Failure`` if it cannot be read.
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
