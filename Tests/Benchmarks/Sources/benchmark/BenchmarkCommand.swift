import ArgumentParser
import Foundation
import Glibc

/// The program, which also runs the attackers of the section `neighbors`.
@main
struct BenchmarkCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "benchmark", subcommands: [MeasureCommand.self, AttackCommand.self],
        defaultSubcommand: MeasureCommand.self)
}

/// Measures the daemon beside its peers and compares the results with the floors.
struct MeasureCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "measure",
        abstract: "Measures xcallbackd beside its peers.",
        discussion: "Ends with 1 if a floor is missed, with 2 if a server failed or answered wrongly."
    )

    @Flag(help: "Fewer and shorter rounds.")
    var quick = false

    @Option(parsing: .upToNextOption, help: "Sections to run: \(Section.all.map { $0.name }.joined(separator: ", ")).")
    var only: [String] = []

    @Option(help: "The release build of the daemon.")
    var daemon: String

    @Option(help: "The file of floors.")
    var floors: String

    @Option(help: "A folder with dbus-broker, which need not be installed.")
    var bus: String

    /// Checks the names of the sections.
    func validate() throws {
        for name in only where !Section.all.contains(where: { $0.name == name }) {
            throw ValidationError("There is no section '\(name)'.")
        }
    }

    /// Runs the sections, and judges the floors.
    func run() throws {
        do {
            let all = try Floor.read(floors)
            let figures = try measure(for: all)
            // A partial run is judged only by what it measures; a complete run must measure everything.
            let isComplete = only.isEmpty && getuid() == 0
            let floors = all.filter { isComplete || figures[$0.figure] != nil }
            Floor.table(of: floors, for: figures).show()
            if floors.contains(where: { $0.holds(in: figures) != true }) { throw ExitCode(1) }
        } catch let error as BenchmarkError {
            progress("benchmark: \(error)")
            throw ExitCode(2)
        }
    }

    /// Runs the sections; one that misses a floor runs once more, because another program may have had the processors.
    private func measure(for floors: [Floor]) throws -> Figures {
        var figures: Figures = [:]
        let machine = ProcessInfo.processInfo
        print("On \(machine.activeProcessorCount) processors, \(machine.operatingSystemVersionString).")
        func run(_ section: Section) throws -> Figures {
            var found: Figures = [:]
            let bench = try Bench(effort: quick ? .quick : .full, daemon: daemon, busPrograms: bus)
            defer {
                bench.endServers()
                try? FileManager.default.removeItem(atPath: bench.directory)
            }
            try section.run(bench, &found)
            return found
        }
        for section in Section.all where only.isEmpty || only.contains(section.name) {
            progress("\(section.name) …")
            let first = try run(section)
            figures.merge(first) { $1 }
            let missed = floors.filter { $0.holds(in: first) == false }.map(\.figure)
            if missed.isEmpty { continue }
            print("\nMeasured once more, because a floor was missed: \(missed.joined(separator: ", ")).")
            progress("\(section.name), once more …")
            figures.merge(try run(section).filter { missed.contains($0.key) }) { $1 }
        }
        return figures
    }
}

/// A part of the run that can be selected by name.
struct Section: Sendable {
    /// The name for `--only`.
    var name: String
    /// Measures, and adds the figures.
    var run: @Sendable (_ bench: Bench, _ figures: inout Figures) throws -> Void

    /// All sections, in their order.
    static let all = [
        Section(name: "throughput", run: measureThroughput),
        Section(name: "command", run: measureCommand),
        Section(name: "start", run: measureStart),
        Section(name: "reload", run: measureReload),
        Section(name: "memory", run: measureMemory),
        Section(name: "neighbors", run: measureNeighbors),
    ]
}

/// Writes a line to standard error.
func progress(_ line: String) {
    FileHandle.standardError.write(Data("\(line)\n".utf8))
}

/// An error that ends the benchmark.
struct BenchmarkError: Error, CustomStringConvertible {
    let description: String

    /// Creates an error with a message for people.
    init(_ description: String) {
        self.description = description
    }

    /// Creates an error of a system call that has just failed.
    static func system(_ call: String) -> Self {
        Self("\(call): \(String(cString: strerror(errno)))")
    }
}
