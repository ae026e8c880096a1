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

/// A client's request, and the right answer.
struct LoneQuestion: Sendable {
    let request: [UInt8]
    /// The beginning of the answer; the rest is unique to a request.
    let reply: [UInt8]

    /// Creates a question; request and answer end as their dialect requires.
    init(_ request: String, reply: String) {
        self.request = Array(request.utf8)
        self.reply = Array(reply.utf8)
    }

    private static let answer = "xcallback://x-callback-url/success"

    /// A line.
    static let ping = Self("near:/ping\n", reply: answer + "?pong=yes\n")

    /// The same in Varlink, as `xcallback handle` sends it for the desktop.
    static let pingOfDesktop = Self(
        #"{"method":"org.xcallback.Router.Open","parameters":{"url":"near:/ping","origin":"desktop"}}"# + "\0",
        reply: #"{"parameters":{"outcome":"success","answer":"\#(answer)?pong=yes","#
            + #""items":[{"name":"pong","value":"yes"}],"code":null,"message":null,"by":"handler","open":null,"id":"#
    )

    /// A line whose handler is a program that ends immediately.
    static let program = Self("near:/program\n", reply: answer + "\n")
}

/// The results of clients' requests; times are in milliseconds.
struct LoneSamples: Sendable {
    private var latencies: [Double] = []
    /// The number of requests without a right answer in time.
    private(set) var refused = 0

    /// The number of requests.
    var count: Int { latencies.count }

    /// Adds a request.
    mutating func add(latency: Double, isAnswered: Bool) {
        latencies.append(latency)
        if !isAnswered { refused += 1 }
    }

    /// Adds a request whose time is meaningless.
    mutating func add(isAnswered: Bool) {
        if !isAnswered { refused += 1 }
    }

    var p50: Double { Self.quantile(0.5, of: latencies) }
    var p99: Double { Self.quantile(0.99, of: latencies) }
    var longest: Double { latencies.max() ?? .nan }

    /// Returns the value that a share of the values does not exceed.
    private static func quantile(_ share: Double, of values: [Double]) -> Double {
        guard !values.isEmpty else { return .nan }
        return values.sorted()[min(values.count - 1, Int(share * Double(values.count)))]
    }
}
