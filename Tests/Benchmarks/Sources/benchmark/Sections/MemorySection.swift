import Foundation
import Glibc

/// Resident memory, idle and after work.
enum MemorySection: Section {
    static let name = "memory"

    static func run(on bench: Bench, into report: inout Report) throws {
        try evict(bench.daemon)
        var table = Table(
            title: "Memory, MiB", columns: ["xcallbackd, 100 routes", "resident", "of it anonymous"]
        )
        try measureIdle(on: bench, into: &report, &table)
        try measureConnections(on: bench, into: &report, &table)
        try measureRequests(on: bench, into: &report, &table)
        report.add(table)
    }

    /// Drops a program from the page cache, as after a boot: the output of a linker or `cp` is cached in larger pieces, of
    /// which more is mapped than used.
    private static func evict(_ program: String) throws {
        let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: program))
        fsync(file.fileDescriptor)
        let fault = posix_fadvise(file.fileDescriptor, 0, 0, POSIX_FADV_DONTNEED)
        if fault != 0 { throw BenchmarkError("cannot evict '\(program)': \(String(cString: strerror(fault)))") }
    }

    /// Measures several daemons, because the mapped part around the used pages of a file depends on its address.
    private static func measureIdle(on bench: Bench, into report: inout Report, _ table: inout Table) throws {
        let servers = try (0..<7).map { _ in try bench.startDaemon() }
        let memories = try servers.map { try memory(of: $0) }
        let resident = memories.map(\.resident).median
        report.add("idle memory, MiB", resident)
        table.rows.append([
            "idle, after its start; median of \(servers.count)", resident.short, memories.map(\.anonymous).median.short,
        ])
        bench.endServers()
    }

    /// Measures with idle connections.
    private static func measureConnections(on bench: Bench, into report: inout Report, _ table: inout Table) throws {
        let server = try bench.startDaemon()
        let idle = try memory(of: server).resident
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

    /// Measures after few and after many requests.
    private static func measureRequests(on bench: Bench, into report: inout Report, _ table: inout Table) throws {
        let server = try bench.startDaemon()
        let load = Load(connections: 64, inFlight: 16)
        try bench.ask(server, with: load, count: 10_000)
        let few = try measure("after 10,000 requests", server, &table)
        try bench.ask(server, with: load, count: 10_000_000)
        let many = try measure("after 10,000,000 requests", server, &table)
        report.add("memory after 10,000,000 requests less that after 10,000, MiB", many - few)
    }

    private static func measure(_ what: String, _ server: Server, _ table: inout Table) throws -> Double {
        let memory = try memory(of: server)
        table.rows.append([what, memory.resident.short, memory.anonymous.short])
        return memory.resident
    }

    /// Returns the memory in MiB.
    private static func memory(of server: Server) throws -> (resident: Double, anonymous: Double) {
        // Memory and ended connections are released after a moment.
        Thread.sleep(forTimeInterval: 0.5)
        let memory = try ProcessFacts(identifier: server.processes[0]).memory()
        return (memory.resident / 1024, memory.anonymous / 1024)
    }
}
