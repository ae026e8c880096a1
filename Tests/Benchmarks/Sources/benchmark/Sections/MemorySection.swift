import Foundation
import Glibc

/// Resident memory of an idle daemon.
enum MemorySection: Section {
    static let name = "memory"

    /// Measures several daemons, because the mapped part around the used pages of a file depends on its address.
    static func run(on bench: Bench, into report: inout Report) throws {
        try evict(bench.daemon)
        let servers = try (0..<7).map { _ in try bench.startDaemon() }
        // Memory of the start is released after a moment.
        Thread.sleep(forTimeInterval: 0.5)
        let memories = try servers.map { try ProcessFacts(identifier: $0.processes[0]).memory() }
        let (resident, anonymous) = (memories.map(\.resident).median / 1024, memories.map(\.anonymous).median / 1024)
        report.add("idle memory, MiB", resident)
        report.add(
            Table(
                title: "Memory, MiB", columns: ["xcallbackd, 100 routes", "resident", "of it anonymous"],
                rows: [["idle, after its start; median of \(servers.count)", resident.short, anonymous.short]]))
    }

    /// Drops a program from the page cache, as after a boot: the output of a linker or `cp` is cached in larger pieces, of
    /// which more is mapped than used.
    private static func evict(_ program: String) throws {
        let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: program))
        fsync(file.fileDescriptor)
        let fault = posix_fadvise(file.fileDescriptor, 0, 0, POSIX_FADV_DONTNEED)
        if fault != 0 { throw BenchmarkError("cannot evict '\(program)': \(String(cString: strerror(fault)))") }
    }
}
