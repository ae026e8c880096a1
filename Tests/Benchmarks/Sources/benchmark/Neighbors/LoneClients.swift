import CMeasure
import Foundation
import Glibc
import Synchronization

/// Clients beside an attack, each of which asks two daemons in turn.
final class LoneClients: Sendable {
    /// How long a client pauses between two requests, in microseconds, for each client that there is: many clients ask
    /// no more often than one.
    private static let pause = 2_000
    /// For how long they ask at most, if answers take long.
    private static let limit = 90.0
    /// Each tenth request has a connection of its own; each fiftieth pair is followed by one that starts a program.
    private static let (connectsEach, startsEach) = (10, 50)

    private let attack: Attack
    private let daemons: [String]
    /// The processor time of the attacked daemon's loop, which is the first thread of the process.
    private let loop: Int32
    private let samples: Mutex<[LoneSamples]>

    /// Creates clients of daemons, of which the first is the process that is attacked.
    init(of attack: Attack, daemons: [String], process: pid_t) throws {
        loop = measure_open_thread_time(process)
        guard loop >= 0 else { throw BenchmarkError("perf_event_open: \(String(cString: strerror(errno)))") }
        self.attack = attack
        self.daemons = daemons
        samples = Mutex(daemons.map { _ in LoneSamples() })
    }

    deinit {
        close(loop)
    }

    /// Asks each daemon as many requests, and returns what has come of it, in their order.
    func run(requests: Int) -> [LoneSamples] {
        let group = DispatchGroup()
        let end = measure_now() + UInt64(Self.limit * 1e9)
        for number in 0..<attack.clients {
            group.enter()
            Thread.detachNewThread {
                self.ask(first: number, until: requests, or: end)
                group.leave()
            }
        }
        group.wait()
        return samples.withLock { $0 }
    }

    /// What one client does.
    private func ask(first: Int, until requests: Int, or end: UInt64) {
        let clients = daemons.map { LoneClient(of: $0) }
        // Not all at the same moment.
        usleep(useconds_t(first * Self.pause * 2))
        var number = first
        while samples.withLock({ $0[0].count < requests }) && measure_now() < end {
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
        let (worked, sent) = (measure_thread_time(loop), measure_now())
        let isAnswered = client.ask(attack.question)
        let latency = measure_now() - sent
        let processor = measure_thread_time(loop) - worked
        samples.withLock {
            $0[daemon].add(latency: Double(latency) / 1e6, processor: Double(processor) / 1e6, isAnswered: isAnswered)
        }
    }

    /// Asks for what a neighbor could have used up, which takes as long as the program does.
    private func startPrograms() {
        for (daemon, socket) in daemons.enumerated() {
            let isAnswered = LoneClient(of: socket).ask(.program)
            samples.withLock { $0[daemon].add(isAnswered: isAnswered) }
        }
    }
}
