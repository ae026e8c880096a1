import Foundation
import Glibc

/// The effect of one user on another: a client beside an attack, and the same client at an idle daemon.
enum NeighborsSection: Section {
    static let name = "neighbors"

    static func run(on bench: Bench, into report: inout Report) throws {
        guard getuid() == 0 else { return report.skip(name, because: "only root can be another user") }
        let outcomes = try Attack.all.map { attack in
            defer { end(on: bench) }
            FileHandle.standardError.write(Data("  \(attack.name) …\n".utf8))
            let neighborhood = try Neighborhood(on: bench)
            return try neighborhood.measure(attack, on: bench)
        }
        for outcome in outcomes {
            report.add("\(name): p99 to that of an idle daemon or 1 ms, \(outcome.attack.name)", outcome.judgedRatio)
        }
        for figure in worst {
            report.add("\(name): \(figure.name)", outcomes.map(figure.value).max() ?? .nan)
        }
        report.add(table(of: outcomes))
    }

    /// Ends the daemons, and removes their logs, which are large after some attacks.
    private static func end(on bench: Bench) {
        bench.endServers()
        let log = URL(fileURLWithPath: bench.daemon).lastPathComponent + ".log"
        try? FileManager.default.removeItem(atPath: bench.workspace.path(log))
    }

    /// The figures that are judged by the worst of all attacks.
    private static let worst: [(name: String, value: @Sendable (NeighborOutcome) -> Double)] = [
        ("refused requests", { Double($0.attacked.refused) }),
        ("p99, ms", { $0.attacked.p99 }),
        ("p99 of the loop's processor time for a request, ms", { $0.attacked.processor }),
        ("growth of anonymous memory, MiB", { $0.growth }),
        ("silence of the watchdog, s", { $0.silence }),
    ]

    private static func table(of outcomes: [NeighborOutcome]) -> Table {
        Table(
            title: "What one user can take from another",
            columns: [
                "attack", "refused", "p50 ms", "p99 ms", "max ms", "idle p99 ms", "ratio", "loop p99 ms", "memory MiB",
                "silence s",
            ],
            rows: outcomes.map { outcome in
                [
                    outcome.attack.name, "\(outcome.attacked.refused)", outcome.attacked.p50.short,
                    outcome.attacked.p99.short, outcome.attacked.longest.short, outcome.idle.p99.short,
                    outcome.ratio.ratio, outcome.attacked.processor.short, outcome.growth.short, outcome.silence.ratio,
                ]
            },
            note: """
                A client that asks `ping` of a daemon under attack and of an idle one, in turn. 'refused' of \
                \(outcomes.map(\.attacked.count).min() ?? 0) requests or more; 'ratio' is p99 to that of the idle \
                daemon; 'loop' is the processor time of the event loop from the request to its answer.
                """
        )
    }
}
