import CMeasure
import Glibc

/// The time from the start of a server until it reports that clients can connect (`READY=1` of sd_notify(3)).
enum StartSection: Section {
    static let name = "start"

    private static let counts = [(100, "100"), (1000, "1,000")]

    static func run(on bench: Bench, into report: inout Report) throws {
        let manager = try DatagramSocket(path: bench.workspace.path("notify"))
        let socket = bench.workspace.path("start")
        let daemons = try counts.map { count, _ in
            let file = try bench.workspace.write(DaemonConfiguration(routes: count).text, to: "start\(count).yaml")
            return Starter(program: bench.daemon, arguments: ["--config", file, "--socket", socket], socket: socket)
        }
        let redis = Starter(
            program: Bench.redis.program, name: Bench.redis.name,
            arguments: bench.redisOptions(socket: socket) + ["--supervised", "systemd"], socket: socket)
        let starts = (daemons + [redis]).map { starter in { try starter.run(on: bench, manager) } }
        let turns = try Turns(of: starts, rounds: bench.effort.starts, on: bench)

        for (index, (_, number)) in counts.enumerated() {
            report.add("start with \(number) routes to redis", turns.ratio(of: index, to: counts.count))
        }
        let names =
            counts.map { "xcallbackd, \($0.1) routes" } + ["redis"]
        report.add(
            Table(
                title: "Start to READY, ms",
                columns: ["what", "median of \(bench.effort.starts)", "least", "the first is to it"],
                rows: names.enumerated().map { index, name in
                    [name, turns.median(index).short, turns.least(index).short, turns.ratio(of: 0, to: index).ratio]
                }))
    }
}

/// A server that is started repeatedly, and ended once it is ready.
private struct Starter {
    var program: String
    var name: String?
    var arguments: [String]
    var socket: String

    /// Starts the server, and returns the milliseconds until it is ready.
    func run(on bench: Bench, _ manager: DatagramSocket) throws -> Double {
        let server = try bench.start(program, arguments, name: name, environment: ["NOTIFY_SOCKET": manager.path])
        defer {
            server.end()
            // Not every server removes its socket.
            unlink(socket)
        }
        try manager.wait(for: "READY=1")
        return Double(measure_now() - server.started) / 1e6
    }
}
