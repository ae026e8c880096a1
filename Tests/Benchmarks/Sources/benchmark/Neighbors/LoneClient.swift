import CMeasure
import Foundation
import Glibc
import Synchronization

/// A client of one daemon that sends a request, waits for its answer, and then sends the next one.
final class LoneClient {
    private let socket: String
    private var descriptor: Int32 = -1
    private var buffer = [UInt8](repeating: 0, count: 4096)

    init(of socket: String) {
        self.socket = socket
    }

    deinit {
        disconnect()
    }

    /// Sends a request, and returns whether the answer was right; if not, the next request has a new connection.
    func send(_ question: LoneQuestion) -> Bool {
        connectIfNeeded()
        let sent = Glibc.send(descriptor, question.request, question.request.count, Int32(MSG_NOSIGNAL))
        let isRight = sent == question.request.count && receive(question.reply, endingAs: question.request)
        if !isRight { disconnect() }
        return isRight
    }

    /// Closes the connection; the next request opens a new one.
    func disconnect() {
        guard descriptor >= 0 else { return }
        close(descriptor)
        descriptor = -1
    }

    private func connectIfNeeded() {
        guard descriptor < 0 else { return }
        descriptor = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        setTimeout(of: descriptor)
        _ = withUnixAddress(socket) { connect(descriptor, $0, $1) }
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
    private(set) var latencies: [Double] = []
    /// The number of requests without a right answer in time.
    private(set) var refused = 0

    /// Adds a request, with its time if that is meaningful.
    mutating func add(latency: Double?, isAnswered: Bool) {
        if let latency { latencies.append(latency) }
        if !isAnswered { refused += 1 }
    }

    /// Returns the latency that a share of the requests did not exceed.
    func quantile(_ share: Double) -> Double {
        guard !latencies.isEmpty else { return .nan }
        return latencies.sorted()[min(latencies.count - 1, Int(share * Double(latencies.count)))]
    }
}

/// Clients beside an attack, each of which sends requests to two daemons in turn.
final class LoneClients: Sendable {
    /// The pause of a client between two requests, in microseconds per client: many clients send no more requests than a single
    /// one.
    private static let pause = 2_000
    /// The maximum duration, if answers are slow.
    private static let limit = 90.0
    /// Every tenth request has its own connection; every fiftieth pair is followed by one that starts a program.
    private static let (connectsEach, startsEach) = (10, 50)

    private let attack: Attack
    private let daemons: [String]
    private let samples: Mutex<[LoneSamples]>

    /// Creates clients of two daemons, the first of which is attacked.
    init(of attack: Attack, daemons: [String]) {
        self.attack = attack
        self.daemons = daemons
        samples = Mutex(daemons.map { _ in LoneSamples() })
    }

    /// Sends the same number of requests to each daemon, and returns the results in the order of the daemons.
    func run(requests: Int) -> [LoneSamples] {
        let group = DispatchGroup()
        let end = measure_now() + UInt64(Self.limit * 1e9)
        for number in 0..<attack.clients {
            group.enter()
            Thread.detachNewThread {
                self.runClient(first: number, until: requests, or: end)
                group.leave()
            }
        }
        group.wait()
        return samples.withLock { $0 }
    }

    private func runClient(first: Int, until requests: Int, or end: UInt64) {
        let clients = daemons.map { LoneClient(of: $0) }
        // The clients start at different times.
        usleep(useconds_t(first * Self.pause * 2))
        var number = first
        while samples.withLock({ $0[0].latencies.count < requests }) && measure_now() < end {
            for (daemon, client) in clients.enumerated() {
                if number % Self.connectsEach == 0 { client.disconnect() }
                measure(client, of: daemon)
                usleep(useconds_t(attack.clients * Self.pause))
            }
            if number % Self.startsEach == 0 { startPrograms() }
            number += 1
        }
    }

    private func measure(_ client: LoneClient, of daemon: Int) {
        let sent = measure_now()
        let isAnswered = client.send(attack.question)
        let latency = Double(measure_now() - sent) / 1e6
        samples.withLock { $0[daemon].add(latency: latency, isAnswered: isAnswered) }
    }

    /// Requests programs, which a neighbor could have exhausted; they are as slow as the program itself.
    private func startPrograms() {
        for (daemon, socket) in daemons.enumerated() {
            let isAnswered = LoneClient(of: socket).send(.program)
            samples.withLock { $0[daemon].add(latency: nil, isAnswered: isAnswered) }
        }
    }
}
