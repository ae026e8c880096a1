import ArgumentParser
import Foundation
import Glibc
import Synchronization

/// Measures the daemon beside its peers and compares the results with the floors.
@main
struct BenchmarkCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "benchmark",
        abstract: "Measures xcallbackd beside its peers.",
        discussion: "Ends with 1 if a floor is missed, with 2 if a server failed or answered wrongly."
    )

    @Flag(help: "Fewer and shorter rounds.")
    var quick = false

    @Option(parsing: .upToNextOption, help: "Sections to run: \(allSections.map { $0.name }.joined(separator: ", ")).")
    var only: [String] = []

    @Option(help: "A file that gets all figures.")
    var json: String?

    @Option(help: "The release build of the daemon.")
    var daemon: String

    @Option(help: "The file of floors.")
    var floors: String

    @Option(help: "A folder with dbus-broker, which need not be installed.")
    var bus: String?

    /// Checks the names of the sections.
    func validate() throws {
        for name in only where !allSections.contains(where: { $0.name == name }) {
            throw ValidationError("There is no section '\(name)'.")
        }
    }

    /// Runs the sections, and reports the floors.
    func run() throws {
        do {
            let all = try Floor.read(floors)
            var report = try measure()
            // A partial run is judged only by what it measures; a complete run must measure everything.
            let floors = all.filter {
                only.isEmpty ? !report.isSkipped($0.figure) : report.figures[$0.figure] != nil
            }
            report.add(Floor.table(of: floors, for: report))
            if let json { try write(report, to: json) }
            if floors.contains(where: { $0.holds(in: report) != true }) { throw ExitCode(1) }
        } catch let error as BenchmarkError {
            FileHandle.standardError.write(Data("benchmark: \(error)\n".utf8))
            throw ExitCode(2)
        }
    }

    private func measure() throws -> Report {
        let workspace = try Workspace()
        defer { workspace.remove() }
        let interruptions = [SIGINT, SIGTERM, SIGHUP].map { Self.handle($0, in: workspace) }
        defer { interruptions.forEach { $0.cancel() } }
        let folder = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent().path
        let bench = Bench(
            effort: quick ? .quick : .full, workspace: workspace, daemon: daemon, programs: folder,
            busPrograms: bus)
        var report = Report()
        print("On \(Machine.description).")
        for section in allSections where only.isEmpty || only.contains(section.name) {
            FileHandle.standardError.write(Data("\(section.name) …\n".utf8))
            defer { bench.endServers() }
            try section.run(on: bench, into: &report)
        }
        if let summary = bench.stolenTime.summary { print("\n\(summary)") }
        return report
    }

    /// Ends all servers, and the benchmark, on a signal.
    private static func handle(_ number: Int32, in workspace: Workspace) -> any DispatchSourceSignal {
        signal(number, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
        source.setEventHandler { @Sendable in
            ChildProcess.running.withLock { $0.forEach { kill($0, SIGTERM) } }
            workspace.remove()
            _exit(128 + number)
        }
        source.activate()
        return source
    }

    private func write(_ report: Report, to path: String) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        try encoder.encode(report.figures).write(to: URL(fileURLWithPath: path))
    }
}

/// The machine.
enum Machine {
    /// The processors, memory and kernel.
    static var description: String {
        let information = ProcessInfo.processInfo
        let memory = Double(information.physicalMemory) / 0x1p30
        var system = utsname()
        uname(&system)
        let kernel = withUnsafeBytes(of: &system.release) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        return "\(information.activeProcessorCount) × \(processor), \(memory.short) GiB, Linux \(kernel)"
    }

    private static var processor: String {
        let text = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)) ?? ""
        let line = text.split(separator: "\n").first { $0.hasPrefix("model name") }
        return line?.split(separator: ":").last.map { $0.trimmingCharacters(in: .whitespaces) } ?? "processor"
    }
}
