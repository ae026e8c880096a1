import Glibc

/// A client of one daemon that sends a request, waits for its answer, and then sends the next one.
final class LoneClient {
    /// The timeout of a request, in seconds.
    private static let patience = 10

    private let socket: String
    private var descriptor: Int32 = -1
    private var buffer = [UInt8](repeating: 0, count: 4096)

    /// Creates an unconnected client.
    init(of socket: String) {
        self.socket = socket
    }

    deinit {
        disconnect()
    }

    /// Sends a request, and returns whether the answer was right; if not, the next request has a new connection.
    func ask(_ question: LoneQuestion) -> Bool {
        let isRight = connectIfNeeded() && send(question.request) && receive(question.reply, endingAs: question.request)
        if !isRight { disconnect() }
        return isRight
    }

    /// Closes the connection; the next request opens a new one.
    func disconnect() {
        guard descriptor >= 0 else { return }
        close(descriptor)
        descriptor = -1
    }

    private func connectIfNeeded() -> Bool {
        guard descriptor < 0 else { return true }
        descriptor = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var patience = timeval(tv_sec: Self.patience, tv_usec: 0)
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            setsockopt(descriptor, SOL_SOCKET, option, &patience, socklen_t(MemoryLayout<timeval>.size))
        }
        return withUnixAddress(socket) { connect(descriptor, $0, $1) } == 0
    }

    private func send(_ request: [UInt8]) -> Bool {
        Glibc.send(descriptor, request, request.count, Int32(MSG_NOSIGNAL)) == request.count
    }

    /// Reads a whole answer, which ends like the requests of its dialect; returns whether it starts as expected.
    private func receive(_ reply: [UInt8], endingAs request: [UInt8]) -> Bool {
        var count = 0
        while count == 0 || buffer[count - 1] != request.last {
            let more = buffer.withUnsafeMutableBytes { bytes in
                recv(descriptor, bytes.baseAddress?.advanced(by: count), bytes.count - count, 0)
            }
            guard more > 0 else { return false }
            count += more
        }
        return buffer.prefix(count).starts(with: reply)
    }
}
