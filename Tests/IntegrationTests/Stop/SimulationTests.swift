import Testing
import XCallbackTesting

/// The daemon in a simulated kernel, where everything that can meet in one turn of the loop does some time.
@Suite(.blocking, .timeLimit(.minutes(15)))
struct SimulationTests {
    /// Runs stories.
    ///
    /// - Returns: The exit status of the simulator, and what it has printed.
    private static func run(
        _ stories: String, _ program: String, sabotage: String? = nil
    ) throws -> (status: Int32, text: String) {
        let directory = try TemporaryDirectory()
        let output = directory.path(of: "output")
        let process = try ChildProcess(
            [program, stories], environment: sabotage.map { ["SIMULATE_SABOTAGE=\($0)"] } ?? [], output: output,
            error: output)
        return (try process.wait(within: .seconds(600)), try textOfFile(output))
    }

    @Test func nothingIsWrongInTenThousandStories() throws {
        let (status, text) = try Self.run("1-10000", ReleaseBuild.program("simulate"))
        #expect(status == 0, "\(text)")
        #expect(text.hasPrefix("10000 stories, "))
    }

    /// The debug build checks each change of a state machine against its table, and exclusive access to memory.
    @Test func noStateMachineLeavesItsTable() throws {
        let (status, text) = try Self.run("1-1000", RunningDaemon.program("simulate"))
        #expect(status == 0, "\(text)")
    }

    @Test func aStoryIsTheSameEachTime() throws {
        let program = try RunningDaemon.program("simulate")
        let marks = try (0..<2).map { _ in try Self.run("1-100", program).text.split(separator: "(").last }
        #expect(marks[0] != nil)
        #expect(marks[0] == marks[1])
    }

    /// The checks see what is wrong, and the story is told that shows it.
    @Test(arguments: ["loses-answers", "repeats-answers", "keeps-descriptors"])
    func whatIsWrongIsFound(sabotage: String) throws {
        let (status, text) = try Self.run("1-1000", ReleaseBuild.program("simulate"), sabotage: sabotage)
        #expect(status == 1)
        #expect(text.contains("What is needed of it:"))
        let command = try #require(text.split(separator: "\n").first { $0.hasPrefix("All that happens: ") })
        #expect(command.contains("simulate --events "))
    }
}
