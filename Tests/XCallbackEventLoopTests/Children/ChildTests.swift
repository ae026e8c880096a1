import Glibc
import TestSupport
import Testing
import XCallbackEventLoop
import XCallbackLinux
import XCallbackTesting

/// Programs that a loop runs: what they are given, and what is left of them.
@Suite(.timeLimit(.minutes(10)))
struct ChildTests {
    private let programs: ProgramLoop

    init() throws {
        programs = try ProgramLoop()
    }

    @Test func aProgramInheritsNothing() async throws {
        signal(SIGPIPE, SIG_IGN)
        let open = open("/dev/null", O_RDONLY)
        defer { close(open) }
        let result = try await programs.loop.run(
            ChildCommand(["grep", "-E", "^Sig(Blk|Ign):", "/proc/self/status"]))
        let masks = result.text.split(separator: "\n").compactMap { UInt64($0.suffix(16), radix: 16) }
        // Signals 32 and 33 are the C library's own; whoever has started this process may have it ignore them.
        #expect(masks.count == 2 && masks[0] == 0 && masks[1] & ~(0b11 << 31) == 0)
        let descriptors = try await programs.loop.run(ChildCommand(["ls", "/proc/self/fd"]))
        // The fourth is the folder that is listed.
        #expect(descriptors.text == "0\n1\n2\n3\n")
        let group = try await programs.run("cut -d ' ' -f 1,5 /proc/$$/stat")
        let numbers = group.text.split { $0 == " " || $0 == "\n" }
        #expect(numbers.count == 2 && numbers[0] == numbers[1])
    }

    @Test func outputOverTheLimitEndsTheProgram() async throws {
        let exact = try await programs.run("printf 12345678", keeping: 8)
        #expect(exact.text == "12345678" && !exact.exceededOutput)
        let over = try await programs.run("printf 123456789; exec sleep 600", keeping: 8)
        #expect(over.exceededOutput)
        let endless = try await programs.run("exec cat /dev/zero", keeping: 100_000)
        #expect(endless.exceededOutput && endless.output.count <= 100_000)
    }

    @Test func aGrandchildThatHoldsThePipesOutlivesTheProgram() async throws {
        let result = try await programs.run("sleep 600 & echo $!")
        let grandchild = try #require(Int32(result.text.dropLast()))
        #expect(result.ending == .exited(status: 0))
        expect(await programs.loop.childCount, equals: 0)
        let left = try #require(result.left)
        expect(await Self.isThere(left, programs.loop), equals: true)
        #expect(kill(grandchild, SIGKILL) == 0)
        try await suspendUntil("nothing is left") { await !Self.isThere(left, programs.loop) }
    }

    private static func isThere(_ left: ChildID, _ loop: EventLoop) async -> Bool {
        await loop.perform { [$0.count(left, toward: Account()) ? 1 : 0] } == [1]
    }

    @Test func whatIsLeftIsReadAndReported() async throws {
        let directory = try TemporaryDirectory()
        let trace = EventLog()
        var command = ChildCommand([
            "sh", "-c",
            """
            cd \(directory.path)
            (until [ -e go ]; do sleep 0.01; done; head -c 300000 /dev/zero; echo late >&2; : >end) & echo early >&2
            """,
        ])
        command.report = { trace.add(String(decoding: $0, as: UTF8.self)) }
        let result = try await programs.loop.run(command)
        #expect(String(decoding: result.errors, as: UTF8.self) == "early\n" && !result.exceededOutput)
        try directory.write("", to: "go")
        try await trace.wait(for: "late\n")
        try await suspendUntil("all is read") { directory.contains("end") }
    }

    @Test func aDetachedProgramThatEndsAtOnceReportsNoStart() async throws {
        var command = ChildCommand(["sh", "-c", "echo why >&2; exit 3"])
        command.isDetached = true
        let trace = EventLog()
        command.report = { _ in trace.add("written") }
        let result = try await programs.loop.run(command) { trace.add("started") }
        #expect(result.ending == .exited(status: 3) && result.errors == Array("why\n".utf8))
        #expect(trace.all.isEmpty)
    }

    /// One that is cancelled while it waits for its start has never begun, and one that has begun is killed.
    @Test func aProgramThatIsCancelledAtOnceEndsOrNeverBegins() async throws {
        for _ in 0..<100 {
            let task = Task { try await programs.run("exec sleep 600") }
            while await programs.loop.childCount == 0 { await Task.yield() }
            task.cancel()
            do {
                expect(try await task.value.ending, equals: .killed(signal: SIGTERM))
            } catch is CancellationError {
                expect(await programs.loop.childCount, equals: 0)
            }
        }
    }

    @Test func aDetachedProgramReportsItsStartAndItsEnd() async throws {
        let directory = try TemporaryDirectory()
        let gate = try XCallbackTesting.Gate(in: directory)
        var command = ChildCommand(["sh", "-c", "read line <'\(gate.path)'; exit 3"])
        command.isDetached = true
        let trace = EventLog()
        let task = Task { [command, loop = programs.loop] in
            let result = try await loop.run(command) { trace.add("started") }
            trace.add("ended")
            return result
        }
        try await trace.wait(for: "started")
        // It runs on, whoever has asked for it.
        task.cancel()
        expect(await programs.loop.childCount, equals: 0)
        #expect(trace.all == ["started"])
        try gate.open()
        expect(try await task.value.ending, equals: .exited(status: 3))
    }

    @Test func aProgramThatCannotStartReportsNoStart() async throws {
        let trace = EventLog()
        await #expect(throws: SystemError("execve", code: ENOENT)) {
            try await programs.loop.run(ChildCommand(["/nowhere/program"])) { trace.add("started") }
        }
        #expect(trace.all.isEmpty)
    }

    @Test func aSecondStopKills() async throws {
        let directory = try TemporaryDirectory()
        let task = Task { try await programs.run("trap '' TERM; : >\(directory.path)/ready; while :; do :; done") }
        // The program may be ready before the loop knows that it has started.
        while !directory.contains("ready") { await Task.yield() }
        while await programs.loop.childCount == 0 { await Task.yield() }
        // In one turn of the loop, so that the time which the first stop leaves it cannot be over.
        let counts = await programs.loop.perform { loop in
            loop.stop()
            let count = loop.childCount
            loop.stop()
            return [count, loop.childCount]
        }
        #expect(counts == [1, 0])
        expect(try await task.value.ending, equals: .killed(signal: SIGKILL))
    }
}
