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
        report.add("\(name): refused requests", outcomes.map { Double($0.attacked.refused) }.max() ?? .nan)
        report.add(table(of: outcomes))
    }

    /// Ends the daemons, and removes their logs, which are large after some attacks.
    private static func end(on bench: Bench) {
        bench.endServers()
        let log = URL(fileURLWithPath: bench.daemon).lastPathComponent + ".log"
        try? FileManager.default.removeItem(atPath: bench.workspace.path(log))
    }

    private static func table(of outcomes: [NeighborOutcome]) -> Table {
        Table(
            title: "What one user can take from another",
            columns: ["attack", "refused", "p50 ms", "p99 ms", "max ms", "idle p99 ms", "ratio"],
            rows: outcomes.map { outcome in
                [
                    outcome.attack.name, "\(outcome.attacked.refused)", outcome.attacked.p50.short,
                    outcome.attacked.p99.short, outcome.attacked.longest.short, outcome.idle.p99.short,
                    outcome.ratio.ratio,
                ]
            },
            note: """
                A client that asks `ping` of a daemon under attack and of an idle one, in turn. 'refused' of \
                \(outcomes.map(\.attacked.count).min() ?? 0) requests or more; 'ratio' is p99 to that of the idle daemon.
                """
        )
    }
}
