import Foundation

/// The time from the start of the daemon until it says that it is ready.
enum StartSection: Section {
    static let name = "start"

    static func run(on bench: Bench, into report: inout Report) throws {
        let configuration = try bench.workspace.write(DaemonConfiguration().text, to: "start.yaml")
        let manager = try DatagramSocket(path: bench.workspace.path("notify"))
        var ready: [Double] = []
        var floor: [Double] = []
        for _ in 0..<bench.effort.starts {
            ready.append(try timeOfStart(on: bench, configuration, manager))
            floor.append(try milliseconds { try bench.start("/bin/true", []).finish() })
        }
        report.add("start to READY, ms", ready.median)
        report.add(
            Table(
                title: "Start, ms",
                columns: ["what", "median of \(bench.effort.starts)", "least"],
                rows: [
                    ["xcallbackd, 100 routes, to READY=1", ready.median.short, (ready.min() ?? .nan).short],
                    ["`/bin/true`, to its end", floor.median.short, (floor.min() ?? .nan).short],
                ]
            ))
    }

    private static func timeOfStart(
        on bench: Bench, _ configuration: String, _ manager: DatagramSocket
    ) throws -> Double {
        let arguments = ["--config", configuration, "--socket", bench.workspace.path("start")]
        var daemon: ChildProcess?
        defer { daemon?.end() }
        return try milliseconds {
            daemon = try bench.start(bench.daemon, arguments, environment: ["NOTIFY_SOCKET": manager.path])
            try manager.wait(for: "READY=1")
        }
    }

    private static func milliseconds(_ body: () throws -> Void) rethrows -> Double {
        let duration = try ContinuousClock().measure(body)
        return Double(duration.components.attoseconds) / 1e15 + Double(duration.components.seconds) * 1e3
    }
}
