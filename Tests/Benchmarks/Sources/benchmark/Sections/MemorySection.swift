import Foundation

/// Resident memory, idle and after work.
enum MemorySection: Section {
    static let name = "memory"

    static func run(on bench: Bench, into report: inout Report) throws {
        var table = Table(
            title: "Memory, MiB", columns: ["xcallbackd, 100 routes", "resident", "of it anonymous"]
        )
        try measureConnections(on: bench, into: &report, &table)
        try measureRequests(on: bench, into: &report, &table)
        report.add(table)
    }

    /// With connections that do nothing.
    private static func measureConnections(on bench: Bench, into report: inout Report, _ table: inout Table) throws {
        let server = try bench.startDaemon()
        let idle = try measure("idle, after its start", server, &table)
        report.add("idle memory, MiB", idle)
        for (count, words) in [(1000, "1,000"), (10_000, "10,000")] {
            let arguments = server.options + ["--connections", "\(count)", "--hold"]
            let holder = try bench.start("load", arguments, isRead: true)
            defer { holder.end() }
            _ = try holder.readLine()
            let held = try measure("with \(words) idle connections", server, &table)
            report.add("memory of \(words) idle connections, MiB", held - idle)
            try holder.finish()
        }
    }

    /// After few and after many requests.
    private static func measureRequests(on bench: Bench, into report: inout Report, _ table: inout Table) throws {
        let server = try bench.startDaemon()
        let load = Load(connections: 64, inFlight: 16)
        try bench.ask(server, with: load, count: 10_000)
        let few = try measure("after 10,000 requests", server, &table)
        try bench.ask(server, with: load, count: 10_000_000)
        let many = try measure("after 10,000,000 requests", server, &table)
        // A few pages of code that are read late are no growth: the threshold leaves room for them.
        report.add("memory after 10,000,000 requests less that after 10,000, MiB", many - few)
    }

    private static func measure(_ what: String, _ server: Server, _ table: inout Table) throws -> Double {
        // What is freed, and what connections end, is seen to after a moment.
        Thread.sleep(forTimeInterval: 0.5)
        let memory = try ProcessFacts(identifier: server.processes[0]).memory()
        table.rows.append([what, (memory.resident / 1024).short, (memory.anonymous / 1024).short])
        return memory.resident / 1024
    }
}
