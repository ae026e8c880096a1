import CMeasure
import Foundation
import Glibc

/// Measures requests per second and latencies, beside all peers.
@Sendable
func measureThroughput(on bench: Bench, into figures: inout Figures) throws {
    let loads = [
        Load(connections: 1, inFlight: 1), Load(connections: 1, inFlight: 64), Load(connections: 64, inFlight: 1),
        Load(connections: 64, inFlight: 16), Load(connections: 1000, inFlight: 1),
    ]
    let daemon = try bench.startDaemon()
    let calls = Server(name: "`Open`", socket: daemon.socket, question: Question.call, program: daemon.program)
    let bus = try MessageBus(on: bench)
    let comparison = try bench.compare([daemon, calls, bench.startYardstick(), bus.server], with: loads)

    /// Returns a table with one server per row and one load per column.
    func table(_ title: String, note: String, cell: (_ load: Int, _ server: Int) -> String) -> Table {
        let rows = comparison.servers.enumerated().map { index, server in
            [server.name] + loads.indices.map { cell($0, index) }
        }
        return Table(title: title, columns: ["connections, in flight"] + loads.map(\.label), rows: rows, note: note)
    }
    for (place, load) in loads.enumerated() {
        for (index, server) in comparison.servers.enumerated().dropFirst() {
            let ratio = comparison.ratio(load: place, of: 0, to: index)
            figures["requests/s at \(load.label) to \(server.name)"] = ratio
        }
    }
    let note = "With `user`, `rate` and `log`. In brackets: what a line to the daemon is to that."
    table("Requests per second", note: note) { load, server in
        let rate = comparison.median(\.rate, load: load, server: server).short
        return server == 0 ? rate : "\(rate) (\(comparison.ratio(load: load, of: 0, to: server).ratio))"
    }
    .show()
    table("Latency, µs: p50 / p99", note: "With many in flight, most of it is waiting.") { load, server in
        let median = comparison.median(\.p50, load: load, server: server)
        return "\(median.short) / \(comparison.median(\.p99, load: load, server: server).short)"
    }
    .show()
    try bench.showInstructions(of: [0, 1, 2].map { comparison.servers[$0] }, with: loads)
}

extension Bench {
    /// Shows how many instructions the loop of a server needs for a request, for people: it is no figure with a floor.
    fileprivate func showInstructions(of servers: [Server], with loads: [Load]) throws {
        let counters = servers.map { measure_instructions($0.program.identifier) }
        defer { for counter in counters { close(counter) } }
        if counters.contains(-1) {
            return print("\nInstructions are not counted: this machine has no counter for them.")
        }
        func count(_ counter: Int32) -> Double {
            var count: UInt64 = 0
            return read(counter, &count, 8) == 8 ? Double(count) : .nan
        }
        let rows = try zip(servers, counters).map { server, counter in
            [server.name]
                + (try loads.map { load in
                    let before = count(counter)
                    let rate = try measure(server, with: load).rate
                    return ((count(counter) - before) / (rate * (effort.warmUp + effort.seconds))).short
                })
        }
        Table(
            title: "Instructions in user space per request", columns: ["connections, in flight"] + loads.map(\.label),
            rows: rows
        ).show()
    }
}

/// Measures the total time of `xcallback open`, beside `busctl`, which requests the same text from a running server.
@Sendable
func measureCommand(on bench: Bench, into figures: inout Figures) throws {
    let daemon = try bench.startDaemon()
    let bus = try MessageBus(on: bench)
    let command = URL(fileURLWithPath: bench.daemon).deletingLastPathComponent().appending(path: "xcallback").path
    let peer = "org.xcallback.Peer"
    let open = ["open", "--socket", daemon.socket, Question.request]
    let call = ["--address=unix:path=\(bus.server.socket)", "call", peer, "/peer", peer, "Open", "s", Question.request]
    let turns = try Turns(
        of: [
            { try bench.time(of: command, open, output: "\(Question.reply)\n") },
            { try bench.time(of: "busctl", call, output: "s \"\(Question.reply)\"\n") },
        ], rounds: bench.effort.turns)
    figures["time of `xcallback open` to `busctl call`"] = turns.ratio(of: 0, to: 1)
    Table(
        title: "A command, from its start to its end, ms",
        columns: ["program", "median of \(bench.effort.turns)", "least", "`xcallback open` is to it"],
        rows: ["`xcallback open`", "`busctl call`"].enumerated().map { index, name in
            [name, turns.median(index).short, turns.least(index).short, turns.ratio(of: 0, to: index).ratio]
        },
        note: "Each sends a request to a running server once and writes the answer."
    )
    .show()
}

extension Bench {
    /// Runs a program that ends by itself.
    ///
    /// - Returns: The milliseconds from its start to its end.
    /// - Throws: ``BenchmarkError`` if it fails or its output is wrong.
    fileprivate func time(of program: String, _ arguments: [String], output: String) throws -> Double {
        let child = try start(program, arguments, isRead: true)
        let text = String(decoding: try child.readAll(), as: UTF8.self)
        let time = Double(measure_now() - child.started) / 1e6
        guard text == output else { throw BenchmarkError("'\(program)' has failed; its output:\n\(text)") }
        return time
    }
}

/// Measures the time from the start of a server until it reports that clients can connect (`READY=1` of sd_notify(3)).
@Sendable
func measureStart(on bench: Bench, into figures: inout Figures) throws {
    let manager = try DatagramSocket(path: bench.path("notify"))
    let socket = bench.path("start")
    func time(of program: String, _ arguments: [String]) throws -> Double {
        let server = try bench.start(program, arguments, environment: ["NOTIFY_SOCKET": manager.path])
        defer {
            server.end()
            // Not every server removes its socket.
            unlink(socket)
        }
        try manager.wait(for: "READY=1")
        return Double(measure_now() - server.started) / 1e6
    }
    let small = try bench.write(Bench.configuration(routes: 100), to: "start100.yaml")
    let large = try bench.write(Bench.configuration(routes: 1000), to: "start1000.yaml")
    // In Debian's packages, the server is the program that checks its files, under another name; the package of the server only
    // adds the service, which a benchmark must not start.
    let redis = bench.path("redis-server")
    guard symlink("/usr/bin/redis-check-rdb", redis) == 0 else { throw BenchmarkError.system("symlink") }
    let redisOptions = [
        "--port", "0", "--unixsocket", socket, "--save", "", "--appendonly", "no", "--dir", bench.directory,
        "--supervised", "systemd",
    ]
    let turns = try Turns(
        of: [
            { try time(of: bench.daemon, ["--config", small, "--socket", socket]) },
            { try time(of: bench.daemon, ["--config", large, "--socket", socket]) },
            { try time(of: redis, redisOptions) },
        ], rounds: bench.effort.starts)
    figures["start with 100 routes to redis"] = turns.ratio(of: 0, to: 2)
    figures["start with 1,000 routes to redis"] = turns.ratio(of: 1, to: 2)
    Table(
        title: "Start to READY, ms",
        columns: ["what", "median of \(bench.effort.starts)", "least", "the first is to it"],
        rows: ["xcallbackd, 100 routes", "xcallbackd, 1,000 routes", "redis"].enumerated().map { index, name in
            [name, turns.median(index).short, turns.least(index).short, turns.ratio(of: 0, to: index).ratio]
        }
    )
    .show()
}

/// Measures the processor time that a reload of many routes takes from the loop, which answers nobody meanwhile.
@Sendable
func measureReload(on bench: Bench, into figures: inout Figures) throws {
    let manager = try DatagramSocket(path: bench.path("notify"))
    let socket = bench.path("reload")
    let configuration = Bench.configuration(routes: 10_000)
    func writeConfiguration(_ number: Int) throws -> String {
        let route = "  - route: notes:/number\n    respond: { number: \"\(number)\" }\n"
        return try bench.write(configuration + route, to: "reload.yaml")
    }
    let daemon = try bench.startServer(
        bench.daemon, ["--config", writeConfiguration(0), "--socket", socket],
        environment: ["NOTIFY_SOCKET": manager.path])
    try manager.wait(for: "READY=1")
    let times = try (1...bench.effort.starts).map { number in
        _ = try writeConfiguration(number)
        let before = try daemon.processorTimeOfIdleLoop()
        kill(daemon.identifier, SIGHUP)
        try manager.wait(for: "READY=1")
        let time = try daemon.processorTimeOfIdleLoop() - before
        let question = LoneQuestion("notes:/number?x-success=caller:done\n", reply: "caller:done?number=\(number)\n")
        guard LoneClient(of: socket).send(question) else {
            throw BenchmarkError("the daemon has not reloaded its configuration")
        }
        return time
    }
    figures["the loop's processor time for a reload of 10,000 routes, ms"] = times.median
    Table(
        title: "A reload of 10,000 routes, ms",
        columns: ["what", "median of \(bench.effort.starts)", "most"],
        rows: [["the loop's processor time for it", times.median.short, (times.max() ?? .nan).short]]
    )
    .show()
}

extension ChildProcess {
    /// Waits until the leftovers of a reload are released, and returns the loop's processor time in milliseconds.
    ///
    /// It is exact while the thread sleeps.
    fileprivate func processorTimeOfIdleLoop() throws -> Double {
        usleep(100_000)
        let text = try String(contentsOfFile: "/proc/\(identifier)/task/\(identifier)/schedstat", encoding: .utf8)
        return (text.split(separator: " ").first.flatMap { Double($0) } ?? .nan) / 1e6
    }
}

/// Measures resident memory of an idle daemon.
///
/// Several are measured, because the mapped part around the used pages of a file depends on its address.
@Sendable
func measureMemory(on bench: Bench, into figures: inout Figures) throws {
    // The program is dropped from the page cache, as after a boot: the output of a linker or `cp` is cached in larger pieces,
    // of which more is mapped than used.
    let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: bench.daemon))
    fsync(file.fileDescriptor)
    posix_fadvise(file.fileDescriptor, 0, 0, POSIX_FADV_DONTNEED)
    let servers = try (0..<7).map { _ in try bench.startDaemon() }
    // Memory of the start is released after a moment.
    usleep(500_000)
    let resident = try servers.map { try $0.program.memory("Rss:") }.median
    let anonymous = try servers.map { try $0.program.memory("Anonymous:") }.median
    figures["idle memory, MiB"] = resident
    Table(
        title: "Memory, MiB", columns: ["xcallbackd, 100 routes", "resident", "of it anonymous"],
        rows: [["idle, after its start; median of \(servers.count)", resident.short, anonymous.short]]
    )
    .show()
}

extension ChildProcess {
    /// Returns a figure of the process's memory, in MiB.
    fileprivate func memory(_ field: String) throws -> Double {
        let text = try String(contentsOfFile: "/proc/\(identifier)/smaps_rollup", encoding: .utf8)
        let line = text.split(separator: "\n").first { $0.hasPrefix(field) } ?? ""
        let words = line.split(separator: " ")
        guard words.count > 1, let size = Double(words[1]) else { throw BenchmarkError("no '\(field)' of a process") }
        return size / 1024
    }
}
