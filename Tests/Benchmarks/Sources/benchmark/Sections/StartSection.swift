import Foundation

/// The time from the start of a server until it serves.
enum StartSection: Section {
    static let name = "start"

    /// A program, and how long its starts took in milliseconds.
    private struct Subject {
        let name: String
        let start: () throws -> Double
        var times: [Double] = []
    }

    static func run(on bench: Bench, into report: inout Report) throws {
        let manager = try DatagramSocket(path: bench.workspace.path("notify"))
        var subjects = [
            try daemon(of: 100, on: bench, manager), try daemon(of: 10, on: bench, manager),
            Subject(name: "redis, to its first connection") { try redis(on: bench) },
            Subject(name: "`/bin/true`, to its end") {
                try milliseconds { try bench.start("/bin/true", []).finish() }
            },
        ]
        for _ in 0..<bench.effort.starts {
            for index in subjects.indices { subjects[index].times.append(try subjects[index].start()) }
        }
        let first = subjects[0].times.median
        report.add("start to READY, ms", first)
        report.add(
            Table(
                title: "Start, ms",
                columns: ["what", "median of \(bench.effort.starts)", "least", "the first is to it"],
                rows: subjects.map { subject in
                    let median = subject.times.median
                    return [subject.name, median.short, (subject.times.min() ?? .nan).short, (first / median).short]
                }))
    }

    private static func daemon(of routes: Int, on bench: Bench, _ manager: DatagramSocket) throws -> Subject {
        let file = try bench.workspace.write(DaemonConfiguration(routes: routes).text, to: "start\(routes).yaml")
        return Subject(name: "xcallbackd, \(routes) routes, to READY=1") {
            let arguments = ["--config", file, "--socket", bench.workspace.path("start")]
            var daemon: ChildProcess?
            defer { daemon?.end() }
            return try milliseconds {
                daemon = try bench.start(bench.daemon, arguments, environment: ["NOTIFY_SOCKET": manager.path])
                try manager.wait(for: "READY=1")
            }
        }
    }

    private static func redis(on bench: Bench) throws -> Double {
        let socket = bench.workspace.path("redis-start")
        let options = bench.redisOptions(socket: socket)
        var server: ChildProcess?
        defer { server?.end() }
        return try milliseconds {
            let started = try bench.start(Bench.redis.program, options, name: Bench.redis.name)
            server = started
            try waitForListener(on: socket, startedBy: started, every: 20)
        }
    }

    private static func milliseconds(_ body: () throws -> Void) rethrows -> Double {
        let duration = try ContinuousClock().measure(body)
        return Double(duration.components.attoseconds) / 1e15 + Double(duration.components.seconds) * 1e3
    }
}
