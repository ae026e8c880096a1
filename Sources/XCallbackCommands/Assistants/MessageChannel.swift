import Dispatch
import Glibc
import Synchronization
import XCallbackClient
import XCallbackJSON

/// Messages of a line each, from standard input and to standard output.
///
/// Reading and writing have a thread each, as neither can be waited for otherwise. What is sent is written in the order in
/// which it was sent.
final class MessageChannel: Sendable {
    /// How many bytes wait to be written before nothing more is read.
    private static let room = 1_048_576
    /// How often it looks whether there is room.
    private static let pause = Duration.milliseconds(50)

    private struct Output {
        var byteCount = 0
        /// Whether nobody reads any more.
        var isBroken = false
    }

    private let readers = DispatchQueue(label: "xcallback.messages.in")
    private let writers = DispatchQueue(label: "xcallback.messages.out")
    private let input: Mutex<LineReader>
    private let output = Mutex(Output())

    /// Opens the channel.
    ///
    /// - Parameter limit: How many bytes a message that comes in may have.
    init(limit: Int) {
        input = Mutex(LineReader(STDIN_FILENO, limit: limit))
    }

    /// The next message that is not empty.
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
            // JSON means nothing by blanks, such as the CR of a client that ends lines as Windows does.
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

    /// Waits until there is room for more.
    ///
    /// - Returns: Whether somebody is there, who reads, and may still send.
    func hasRoom() async -> Bool {
        while true {
            let (isBroken, count) = output.withLock { ($0.isBroken, $0.byteCount) }
            if isBroken { return false }
            if count <= Self.room { return true }
            // A client that is gone reads nothing of it, and what it has sent before is nobody's wish any more.
            var member = pollfd(fd: STDIN_FILENO, events: 0, revents: 0)
            if poll(&member, 1, 0) > 0, member.revents & Int16(POLLHUP | POLLERR) != 0 { return false }
            do { try await Task.sleep(for: Self.pause) } catch { return false }
        }
    }

    /// Waits until everything is written, but not for longer than a time.
    func finish(within limit: Duration) async {
        _ = try? await Race<Void>.result { race in
            writers.async { race.end(with: .success(())) }
            readers.asyncAfter(deadline: .now() + limit / .seconds(1)) { race.end(with: .success(())) }
        }
    }
}
