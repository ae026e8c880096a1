import Foundation
import Glibc

/// The processor time that a reload of many routes takes from the loop, which answers nobody meanwhile.
enum ReloadSection: Section {
    static let name = "reload"

    static func run(on bench: Bench, into report: inout Report) throws {
        let daemon = try ReloadedDaemon(routes: 10_000, on: bench)
        let times = try (0..<bench.effort.starts).map { _ in try bench.stolenTime.measure { try daemon.reload() } }
        report.add("the loop's processor time for a reload of 10,000 routes, ms", times.median)
        report.add(
            Table(
                title: "A reload of 10,000 routes, ms",
                columns: ["what", "median of \(bench.effort.starts)", "most"],
                rows: [["the loop's processor time for it", times.median.short, (times.max() ?? .nan).short]]))
    }
}

/// A daemon whose configuration changes slightly before each reload.
private final class ReloadedDaemon {
    /// The time for releasing the leftovers of a reload, in microseconds.
    private static let rest: useconds_t = 100_000

    private let bench: Bench
    private let routes: Int
    private let manager: DatagramSocket
    private let socket: String
    private let process: pid_t
    private var number = 0

    /// Starts the daemon.
    init(routes: Int, on bench: Bench) throws {
        self.bench = bench
        self.routes = routes
        manager = try DatagramSocket(path: bench.workspace.path("notify"))
        socket = bench.workspace.path("reload")
        let file = try Self.write(number, routes: routes, on: bench)
        let daemon = try bench.startServer(
            bench.daemon, ["--config", file, "--socket", socket], environment: ["NOTIFY_SOCKET": manager.path])
        process = daemon.identifier
        try manager.wait(for: "READY=1")
    }

    /// Changes the configuration and reloads it.
    ///
    /// - Returns: The loop's processor time for the reload, in milliseconds.
    func reload() throws -> Double {
        number += 1
        _ = try Self.write(number, routes: routes, on: bench)
        usleep(Self.rest)
        let before = try ProcessFacts(identifier: process).processorTimeOfFirstThread()
        kill(process, SIGHUP)
        try manager.wait(for: "READY=1")
        usleep(Self.rest)
        let time = try ProcessFacts(identifier: process).processorTimeOfFirstThread() - before
        let question = LoneQuestion(
            "notes:/number?x-success=caller:done\n", reply: "caller:done?number=\(number)\n")
        guard LoneClient(of: socket).ask(question) else {
            throw BenchmarkError("the daemon has not reloaded its configuration")
        }
        return time
    }

    private static func write(_ number: Int, routes: Int, on bench: Bench) throws -> String {
        let configuration = DaemonConfiguration(routes: routes).text
        let route = "  - route: notes:/number\n    respond: { number: \"\(number)\" }\n"
        return try bench.workspace.write(configuration + route, to: "reload.yaml")
    }
}
