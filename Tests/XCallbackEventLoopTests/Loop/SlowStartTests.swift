import Glibc
import TestSupport
import Testing
import XCallbackEventLoop
import XCallbackLinux
import XCallbackTesting

/// Programs whose start takes long, as where the processors or the disk have other work.
@Suite(.timeLimit(.minutes(10)))
struct SlowStartTests {
    private let programs: ProgramLoop
    private let directory: TemporaryDirectory

    init() throws {
        programs = try ProgramLoop()
        directory = try TemporaryDirectory()
    }

    @Test func theLoopGoesOn() async throws {
        let program = try HeldProgram("/bin/true", in: directory)
        let task = try await begin(program)
        let start = ContinuousClock.now
        expect(await programs.loop.childCount, equals: 1)
        // The kernel itself lets a program go that is held for 45 seconds.
        #expect(ContinuousClock.now - start < .seconds(30))
        program.letGo()
        expect(try await task.value.ending, equals: .exited(status: 0))
    }

    @Test func aProgramThatIsCancelledBeforeItRunsEnds() async throws {
        let program = try HeldProgram("/bin/sleep", in: directory)
        let task = try await begin(program, "600")
        task.cancel()
        // A cancelled task asks the loop, which has done so when it has answered.
        expect(await programs.loop.childCount, equals: 1)
        program.letGo()
        expect(try await task.value.ending, equals: .killed(signal: SIGTERM))
    }

    @Test func noProgramIsLeftWhenTheLoopEnds() async throws {
        let program = try HeldProgram("/bin/sleep", in: directory)
        let task = try await begin(program, "600")
        let trace = EventLog()
        let loop = programs.loop
        let stop = Task {
            await loop.perform { loop in
                trace.add("stopping")
                loop.stop()
                loop.stop()
            }
        }
        try await trace.wait(for: "stopping")
        program.letGo()
        await stop.value
        await #expect(throws: CancellationError.self) { try await task.value }
        while try program.isRunning { await Task.yield() }
    }

    /// Begins to run a program, and waits until it is about to be started.
    private func begin(_ program: HeldProgram, _ arguments: String...) async throws -> Task<ChildResult, any Error> {
        let loop = programs.loop
        let task = Task { try await loop.run(ChildCommand([program.path] + arguments)) }
        while !program.isAsync { await Task.yield() }
        return task
    }
}
