import CMeasure
import Foundation
import Glibc

/// A daemon whose configuration changes slightly before each reload.
final class ReloadedDaemon {
    /// The time for releasing the leftovers of a reload, in microseconds.
    private static let rest: useconds_t = 100_000

    private let bench: Bench
    private let routes: Int
    private let manager: DatagramSocket
    private let socket: String
    private let process: pid_t
    /// The current processor time of the loop, the first thread of the process; -1 without permission.
    private let loop: Int32
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
        loop = measure_open_thread_time(process)
        try manager.wait(for: "READY=1")
    }

    deinit {
        if loop >= 0 { close(loop) }
    }

    /// Whether the loop's processor time can be measured while it runs.
    var canMeasureTurns: Bool { loop >= 0 }

    /// Reloads, and returns the loop's processor time for it, in milliseconds.
    func reloadUnasked() throws -> Double {
        try prepare()
        let before = try ProcessFacts(identifier: process).processorTimeOfFirstThread()
        try reload()
        usleep(Self.rest)
        let time = try ProcessFacts(identifier: process).processorTimeOfFirstThread() - before
        try check()
        return time
    }

    /// Reloads while a client sends requests, and then lets it send requests for the same time without a reload.
    func reloadAsked() throws -> (reload: LoneSamples, pause: LoneSamples) {
        try prepare()
        let begun = measure_now()
        let reload = try ask {
            try self.reload()
            usleep(Self.rest)
        }
        let time = measure_now() - begun
        try check()
        let pause = try ask { usleep(useconds_t(time / 1000)) }
        return (reload, pause)
    }

    /// Lets a client send requests while a function runs.
    private func ask(during body: () throws -> Void) throws -> LoneSamples {
        let client = RestlessClient(of: socket, Self.question(number: nil), loop: loop)
        defer { _ = client.end() }
        try body()
        let samples = client.end()
        guard samples.refused == 0 else { throw BenchmarkError("the daemon has answered wrongly beside a reload") }
        return samples
    }

    private func prepare() throws {
        number += 1
        _ = try Self.write(number, routes: routes, on: bench)
        usleep(Self.rest)
    }

    private func reload() throws {
        kill(process, SIGHUP)
        try manager.wait(for: "READY=1")
    }

    /// Checks that the last configuration is served.
    private func check() throws {
        guard LoneClient(of: socket).ask(Self.question(number: number)) else {
            throw BenchmarkError("the daemon has not reloaded its configuration")
        }
    }

    private static func write(_ number: Int, routes: Int, on bench: Bench) throws -> String {
        let configuration = DaemonConfiguration(routes: routes).text
        let route = "  - route: notes:/number\n    respond: { number: \"\(number)\" }\n"
        return try bench.workspace.write(configuration + route, to: "reload.yaml")
    }

    /// Returns a question that identifies a configuration, or without a number one that all answer alike.
    private static func question(number: Int?) -> LoneQuestion {
        guard let number else { return LoneQuestion(Question.request + "\n", reply: Question.reply + "\n") }
        return LoneQuestion("notes:/number?x-success=caller:done\n", reply: "caller:done?number=\(number)\n")
    }
}
