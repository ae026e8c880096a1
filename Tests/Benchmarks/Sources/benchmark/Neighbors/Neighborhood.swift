import AttackPlan
import Foundation
import Glibc

/// Two daemons of one configuration with default limits: an attacked one and an idle one.
struct Neighborhood {
    /// The attacking user: "nobody" on every system.
    private static let otherUser = 65_534
    /// The number of routes with a slow program: each has its own limit.
    static let slowRoutes = 5
    /// The number of routes with a rate that is soon used up.
    static let ratedRoutes = 33

    private let directory: String
    private let attacked: ChildProcess

    /// Starts both daemons, which run until the servers of the section end.
    init(on bench: Bench) throws {
        directory = try bench.workspace.makeSharedDirectory("neighbors")
        let file = try bench.workspace.write(Self.configuration, to: "neighbors.yaml")
        attacked = try Self.start("attacked", of: file, in: directory, on: bench)
        // The system's daemon has a group for this.
        guard chmod("\(directory)/attacked", 0o666) == 0 else {
            throw BenchmarkError("cannot open the socket to others: \(String(cString: strerror(errno)))")
        }
        _ = try Self.start("idle", of: file, in: directory, on: bench)
    }

    private static func start(
        _ name: String, of file: String, in directory: String, on bench: Bench
    ) throws -> ChildProcess {
        let arguments = ["--config", file, "--socket", "\(directory)/\(name)"]
        let program = try bench.startServer(bench.daemon, arguments)
        try waitForListener(on: "\(directory)/\(name)", startedBy: program)
        return program
    }

    /// Attacks one daemon, and sends requests to both meanwhile.
    func measure(_ attack: Attack, on bench: Bench) throws -> NeighborOutcome {
        let plan = try bench.workspace.write(
            String(decoding: JSONEncoder().encode(attack.crowds), as: UTF8.self), to: "attack.json")
        let user = attack.attacker == .otherUser ? ["--user", "\(Self.otherUser)"] : []
        let options = ["--socket", "\(directory)/attacked"] + user + attack.options
        let attacker = try bench.start("attack", options + [plan], isRead: true)
        defer { attacker.end() }
        _ = try attacker.readLine()
        Thread.sleep(forTimeInterval: 0.3)
        let clients = LoneClients(of: attack, daemons: ["attacked", "idle"].map { "\(directory)/\($0)" })
        let samples = clients.run(requests: bench.effort.requestsBesideAttack)
        guard !attacked.hasEnded else { throw attacked.failure() }
        let summary = try Self.end(attacker)
        guard summary.bytesSent > 0 else { throw BenchmarkError("the attack '\(attack.name)' has sent nothing") }
        FileHandle.standardError.write(Data("    \(Self.text(of: summary))\n".utf8))
        return NeighborOutcome(attack: attack, attacked: samples[0], idle: samples[1])
    }

    private static func text(of summary: AttackSummary) -> String {
        let sent = Double(summary.bytesSent) / 0x1p20
        let received = Double(summary.bytesReceived) / 0x1p20
        return "\(summary.opened) connections, \(summary.refused) lost; \(sent.short) MiB sent, \(received.short) read"
    }

    private static func end(_ attacker: ChildProcess) throws -> AttackSummary {
        try attacker.finish()
        return try JSONDecoder().decode(AttackSummary.self, from: attacker.readAll())
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

/// The result of an attack.
struct NeighborOutcome {
    let attack: Attack
    /// The clients' results at the attacked daemon.
    let attacked: LoneSamples
    /// The clients' results at the idle daemon.
    let idle: LoneSamples

    /// The factor by which the attack increases p99.
    var ratio: Double { attacked.p99 / idle.p99 }
    /// The same relative to the allowed time of two turns of the loop, if the idle daemon answers faster than that.
    var judgedRatio: Double { attacked.p99 / max(idle.p99, 1) }
}
