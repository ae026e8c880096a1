import Glibc
import TestSupport
import Testing
import XCallbackTesting

/// The daemon in a simulated kernel, where all events that can meet in one turn of the loop eventually do.
@Suite(.blocking(minutes: 15))
struct SimulationTests {
    /// Runs the simulator.
    ///
    /// - Returns: Its exit status and output.
    private static func run(_ words: [String]) throws -> (status: Int32, output: String) {
        try ChildProcess.run(words, within: .seconds(600))
    }

    @Test func nothingIsWrongInThreeThousandScenarios() throws {
        let (status, text) = try Self.run([ReleaseBuild.program("simulate"), "1-3000"])
        #expect(status == 0, "\(text)")
        #expect(text.hasPrefix("3000 scenarios, "))
    }

    /// The debug build checks each transition of a state machine against its table, and exclusive access to memory.
    @Test func noStateMachineLeavesItsTable() throws {
        let folder = try RunningDaemon.ownProgram().split(separator: "/").dropLast().joined(separator: "/")
        let (status, text) = try Self.run(["/\(folder)/simulate", "1-500"])
        #expect(status == 0, "\(text)")
    }

    @Test func aScenarioIsTheSameEachTime() throws {
        let words = [try RunningDaemon.program("simulate"), "270-380"]
        let numbered = ["/usr/bin/bwrap", "--dev-bind", "/", "/", "--proc", "/proc", "--unshare-pid"] + words
        let marks = try [words, numbered].map { try Self.run($0).output.split(separator: "(").last }
        #expect(marks[0] != nil)
        #expect(marks[0] == marks[1])
    }

    /// The checks detect the injected fault, and the printed command reproduces it.
    @Test(
        arguments: [
            "loses-answers", "repeats-answers", "misdirects-answers", "loses-timers", "loses-wakeups",
            "loses-reloads", "loses-exits", "loses-signals", "misdirects-lines",
            "misdirects-progress", "keeps-descriptors",
        ])
    func anInjectedFaultIsFound(name: String) throws {
        let (status, text) = try Self.run([ReleaseBuild.program("simulate"), "1-5000", "--inject", name])
        #expect(status == 1)
        func line(after beginning: String) throws -> String {
            let line = try #require(text.split(separator: "\n").first { $0.hasPrefix(beginning) }, "\(text)")
            return String(line.dropFirst(beginning.count))
        }
        let fault = try line(after: "With these events alone: ")
        let repetition = try Self.run(["/bin/sh", "-c", line(after: "All that happens: ")])
        #expect(repetition.status == 1)
        #expect(repetition.output.hasSuffix("\n\(fault)\n"))
    }
}
