import Foundation

/// System calls per request, as strace counts them.
///
/// Two daemons get a number of requests and twice as many; the difference is the cost of the requests, without the start, the
/// connections and the end. strace slows down each call, which changes the number only if several requests wait when the
/// daemon reads.
enum SystemCallsSection: Section {
    static let name = "system-calls"

    private static let loads = [Load(connections: 1, inFlight: 1), Load(connections: 64, inFlight: 1)]
    private static let count = 20_000

    static func run(on bench: Bench, into report: inout Report) throws {
        var table = Table(title: "System calls per request", columns: ["xcallbackd"] + loads.map(\.label))
        var counts: [[String: Double]] = []
        for load in loads {
            let once = try calls(on: bench, load, requests: count)
            let twice = try calls(on: bench, load, requests: 2 * count)
            counts.append(
                twice.merging(once) { $0 - $1 }.mapValues { $0 / Double(count) }.filter { $0.value >= 0.005 })
        }
        for (load, counts) in zip(loads, counts) {
            report.add("system calls per request at \(load.label)", counts.values.reduce(0, +))
        }
        for name in Set(counts.flatMap(\.keys)).sorted() {
            table.rows.append(["`\(name)`"] + counts.map { ($0[name] ?? 0).ratio })
        }
        table.rows.append(["all"] + counts.map { $0.values.reduce(0, +).ratio })
        report.add(table)
    }

    /// Returns the number of each system call of a daemon from its start to its end, with a number of requests.
    private static func calls(on bench: Bench, _ load: Load, requests: Int) throws -> [String: Double] {
        let summary = bench.workspace.path("calls-\(load.label)-\(requests)")
        let strace = ["strace", "--follow-forks", "--summary-only", "--output=\(summary)"]
        let server = try bench.startDaemon(below: strace)
        try bench.ask(server, with: load, count: requests)
        for daemon in try ProcessFacts(identifier: server.processes[0]).children() { kill(daemon, SIGTERM) }
        try server.program.finish()
        return try read(summary: summary)
    }

    /// Parses strace's summary: share, seconds, microseconds per call, calls, errors if any, name.
    private static func read(summary: String) throws -> [String: Double] {
        var calls: [String: Double] = [:]
        for line in try String(contentsOfFile: summary, encoding: .utf8).split(separator: "\n") {
            let words = line.split(separator: " ")
            guard words.count >= 5, let name = words.last, name != "total", let count = Double(words[3]) else {
                continue
            }
            calls[String(name)] = count
        }
        return calls
    }
}
