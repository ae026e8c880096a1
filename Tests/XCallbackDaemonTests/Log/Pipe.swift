import Glibc
import XCallbackTesting

/// A pipe, whose reading end never waits.
struct Pipe: ~Copyable {
    private let reading: Int32
    let writing: Int32

    init() throws {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0, fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0 else { throw TestFailure("no pipe") }
        reading = ends[0]
        writing = ends[1]
    }

    deinit {
        close(reading)
        close(writing)
    }

    /// Takes out all that is in the pipe.
    func drain() -> String {
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = read(reading, &part, part.count)
            guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
            bytes += part.prefix(count)
        }
    }

    /// Whether a line can be written without waiting.
    var hasRoom: Bool {
        var entry = pollfd(fd: writing, events: Int16(POLLOUT), revents: 0)
        return poll(&entry, 1, 0) > 0
    }

    /// Puts an end to reading, so that writing would raise SIGPIPE.
    func endReading() { dup2(writing, reading) }
}
