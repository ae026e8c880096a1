import Foundation
import Glibc

/// Measures the effect of one user on another: a client beside an attack, and the same client at an idle daemon.
@Sendable
func measureNeighbors(on bench: Bench, into figures: inout Figures) throws {
    guard getuid() == 0 else { return progress("  skipped: only root can be another user") }
    var table = Table(
        title: "What one user can take from another",
        columns: ["attack", "refused", "p50 ms", "p99 ms", "max ms", "idle p99 ms", "ratio"], rows: [],
        note: """
            A client that asks `ping` of a daemon under attack and of an idle one, in turn. 'refused' are its requests without \
            a right answer; 'ratio' is p99 to that of the idle daemon.
            """)
    var refused = 0
    for attack in Attack.all {
        defer { bench.endServers() }
        progress("  \(attack.name) …")
        let samples = try Neighborhood(on: bench).measure(attack, on: bench)
        let (attacked, idle) = (samples[0], samples[1])
        let (p99, idleP99) = (attacked.quantile(0.99), idle.quantile(0.99))
        refused = max(refused, attacked.refused)
        // An idle daemon may answer faster than in the allowed time of two turns of the loop.
        figures["neighbors: p99 to that of an idle daemon or 1 ms, \(attack.name)"] = p99 / max(idleP99, 1)
        table.rows.append([
            attack.name, "\(attacked.refused)", attacked.quantile(0.5).short, p99.short, attacked.quantile(1).short,
            idleP99.short, (p99 / idleP99).ratio,
        ])
    }
    figures["neighbors: refused requests"] = Double(refused)
    table.show()
}

/// Two daemons of one configuration with default limits: an attacked one and an idle one.
struct Neighborhood {
    /// The attacking user: "nobody" on every system.
    static let otherUser: uid_t = 65_534
    /// The number of routes with a slow program: each has its own limit.
    static let slowRoutes = 5
    /// The number of routes with a rate that is soon used up.
    static let ratedRoutes = 33

    /// The directory of the sockets, in which other users can look up files once they have reached it.
    private let directory: String
    private let attacked: ChildProcess

    /// Starts both daemons, which run until the servers of the section end.
    init(on bench: Bench) throws {
        let directory = bench.path("neighbors")
        mkdir(directory, 0o755)
        let file = try bench.write(Self.configuration, to: "neighbors.yaml")
        let daemons = try ["attacked", "idle"].map { name in
            let program = try bench.startServer(bench.daemon, ["--config", file, "--socket", "\(directory)/\(name)"])
            try waitForListener(on: "\(directory)/\(name)", startedBy: program)
            return program
        }
        // The system's daemon has a group for this.
        chmod("\(directory)/attacked", 0o666)
        attacked = daemons[0]
        self.directory = directory
    }

    /// Attacks one daemon, sends requests to both meanwhile, and returns the clients' results in this order.
    func measure(_ attack: Attack, on bench: Bench) throws -> [LoneSamples] {
        let attacker = try bench.start(
            bench.ownProgram("benchmark"), ["attack", "\(directory)/attacked", attack.name], isRead: true)
        defer { attacker.end() }
        _ = try attacker.readLine()
        usleep(300_000)
        let clients = LoneClients(of: attack, daemons: ["attacked", "idle"].map { "\(directory)/\($0)" })
        let samples = clients.run(requests: bench.effort.requestsBesideAttack)
        guard !attacked.hasEnded else { throw attacked.failure() }
        progress("    " + String(decoding: try attacker.readAll(), as: UTF8.self))
        return samples
    }

    /// All limits are the defaults.
    private static let configuration = """
        schemes: [near]
        middleware: [log]
        routes:
          - { route: "near:/ping", public: true, respond: { pong: "yes" } }
          - { route: "near:/hop/8", respond: { pong: "yes" } }
          - { route: "near:/program", exec: ["/bin/true"], output: none, runner: spawn }
          - { route: "near:/detached", exec: ["/bin/sleep", "0.3"], detach: true, runner: spawn }
          - { route: "near:/lines", exec: [sh, -c, "exec yes >&2"], progress: true, output: none, timeout: 2s, runner: spawn }
          - { route: "near:/group", policies: [{ group: [0] }], respond: { pong: "yes" } }
          - route: near:/published
            policies: [{ user: [0, \(otherUser)] }]
            publish: near
            receivers: [{ user: [0, \(otherUser)] }]

        """ + hops + slow + rated

    private static let hops = (1...7).map { number in
        let offer = number == 1 ? "agent: true, " : ""
        return "  - { route: \"near:/hop/\(number)\", \(offer)redirect: \"near:/hop/\(number + 1)\" }\n"
    }.joined()

    private static let rated = (0..<ratedRoutes).map {
        "  - { route: \"near:/rated\($0)\", policies: [{ rate: 1/d }], respond: { pong: \"yes\" } }\n"
    }.joined()

    private static let slow = (0..<slowRoutes).map {
        "  - { route: \"near:/slow\($0)\", exec: [\"/bin/sleep\", \"2\"], output: none, runner: spawn }\n"
    }.joined()
}
