import CMeasure
import Foundation
import Glibc
import Synchronization

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
                self.ask(first: number, until: requests, or: end)
                group.leave()
            }
        }
        group.wait()
        return samples.withLock { $0 }
    }

    /// Runs one client.
    private func ask(first: Int, until requests: Int, or end: UInt64) {
        let clients = daemons.map { LoneClient(of: $0) }
        // The clients start at different times.
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
        let sent = measure_now()
        let isAnswered = client.ask(attack.question)
        let latency = measure_now() - sent
        samples.withLock { $0[daemon].add(latency: Double(latency) / 1e6, isAnswered: isAnswered) }
    }

    /// Requests programs, which a neighbor could have exhausted; they are as slow as the program itself.
    private func startPrograms() {
        for (daemon, socket) in daemons.enumerated() {
            let isAnswered = LoneClient(of: socket).ask(.program)
            samples.withLock { $0[daemon].add(isAnswered: isAnswered) }
        }
    }
}
