import Dispatch
import Glibc
import Synchronization
import XCallbackClient
import XCallbackLinux
import XCallbackWire

/// One message per line, from standard input and to standard output.
///
/// Reading and writing have a thread each, because neither can be awaited otherwise. Messages are written in the order in
/// which they are sent.
final class MessageChannel: Sendable {
    /// The number of bytes that may wait to be written; above it, nothing more is read.
    private static let room = 1_048_576
    /// The interval between checks for room.
    private static let pause = Duration.milliseconds(50)

    private struct Output {
        var byteCount = 0
        /// Whether the reader has closed standard output.
        var isBroken = false
    }

    private let readers = DispatchQueue(label: "xcallback.messages.in")
    private let writers = DispatchQueue(label: "xcallback.messages.out")
    private let input: Mutex<LineReader>
    private let output = Mutex(Output())

    /// Opens the channel.
    ///
    /// - Parameter limit: The maximum number of bytes in an incoming message.
    init(limit: Int) {
        input = Mutex(LineReader(descriptor: STDIN_FILENO, limit: limit))
    }

    /// Returns the next message that is not empty.
    ///
    /// - Throws: ``Failure`` if it cannot be read.
    func next() async throws -> LineReader.Line {
        try await withCheckedThrowingContinuation { continuation in
            readers.async { [self] in
                continuation.resume(with: Result { try input.withLock { reader in try Self.message(from: &reader) } })
            }
        }
    }

    private static func message(from reader: inout LineReader) throws(Failure) -> LineReader.Line {
        while true {
            let line = try reader.next()
            // Blanks carry no meaning in JSON, such as the CR of a client that ends lines as Windows does.
            guard case .whole(let bytes) = line, bytes.allSatisfy({ [0x20, 0x09, 0x0D].contains($0) }) else {
                return line
            }
        }
    }

    /// Sends a message.
    func send(_ message: JSONValue) {
        let line = message.bytes + [UInt8(ascii: "\n")]
        output.withLock { $0.byteCount += line.count }
        writers.async { [self] in
            let isLost = output.withLock(\.isBroken) || Terminal.write(line, to: STDOUT_FILENO) != 0
            output.withLock { output in
                output.byteCount -= line.count
                output.isBroken = isLost
            }
        }
    }

    /// Whether the client has read enough to be sent what it can do without.
    var isRead: Bool { output.withLock { $0.byteCount <= Self.room } }

    /// Waits until there is room for more.
    ///
    /// - Returns: Whether the client still reads and may send.
    func hasRoom() async -> Bool {
        while true {
            let (isBroken, count) = output.withLock { ($0.isBroken, $0.byteCount) }
            if isBroken { return false }
            if count <= Self.room { return true }
            // A client that has gone reads nothing, and its earlier requests have no purpose any more.
            var member = pollfd(fd: STDIN_FILENO, events: 0, revents: 0)
            if poll(&member, 1, 0) > 0, member.revents & Int16(POLLHUP | POLLERR) != 0 { return false }
            do { try await Task.sleep(for: Self.pause) } catch { return false }
        }
    }

    /// Waits until everything is written, at most for a given time.
    func finish(within limit: Duration) async {
        _ = try? await Race<Void>.result { race in
            writers.async { race.end(with: .success(())) }
            readers.asyncAfter(deadline: .now() + limit / .seconds(1)) { race.end(with: .success(())) }
        }
    }
}

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

    /// The input.
    let descriptor: Int32
    /// The maximum number of bytes in a line.
    let limit: Int
    private(set) var received: [UInt8] = []
    private(set) var searchedCount = 0
    private(set) var isAtEnd = false

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
        if count < 0, code != EINTR { throw Failure("cannot read lines: \(systemMessage(code))") }
        if count == 0 { isAtEnd = true }
        received += chunk.prefix(max(count, 0))
    }
}
