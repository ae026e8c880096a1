import Foundation

/// The daemon's activity while idle.
enum IdleSection: Section {
    static let name = "idle"

    static func run(on bench: Bench, into report: inout Report) throws {
        let server = try bench.startDaemon()
        try bench.ask(server, with: Load(connections: 64, inFlight: 16), count: 100_000)
        // By then the loop has returned to Dispatch, and Dispatch has ended its threads.
        Thread.sleep(forTimeInterval: 12)
        let facts = ProcessFacts(identifier: server.processes[0])
        let before = try facts.wakeUps()
        let threads = try facts.threads().count
        Thread.sleep(forTimeInterval: 10)
        let wakeUps = try facts.wakeUps() - before
        report.add("wake-ups in 10 idle seconds", wakeUps)
        report.add(
            Table(
                title: "Idle",
                columns: ["xcallbackd, 12 s after 100,000 requests", "of \(threads) threads"],
                rows: [["wake-ups in 10 s", wakeUps.plain]]
            ))
    }
}
