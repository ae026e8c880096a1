import Glibc
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

    @Test(arguments: [0, 1, 75, 130, 255])
    func theStatusIsTold(status: Int32) async throws {
        #expect(try await programs.run("exit \(status)").ending == .exited(status: status))
    }

    @Test(arguments: [SIGTERM, SIGKILL, SIGSEGV])
    func theSignalIsTold(signal: Int32) async throws {
        #expect(try await programs.run("ulimit -c 0; kill -\(signal) $$").ending == .killed(signal: signal))
    }

    @Test func aProgramReadsItsInputAndWritesBothOutputs() async throws {
        let input = String(repeating: "0123456789\n", count: 50_000)
        let result = try await programs.run("cat; echo bad >&2; exit 3", input: input)
        #expect(result.text == input)
        #expect(result.errorText == "bad\n")
        #expect(result.ending == .exited(status: 3))
        #expect(!result.exceededOutput)
    }

    @Test func argumentsAndEnvironmentArriveByteByByte() async throws {
        let hard = ["", " ", "\"'`$(id);\n\\", "-rf", "é\u{301}🚀", String(repeating: "x", count: 120_000), "*", "--"]
        let result = try await programs.run(#"printf '%s\0' "$@"; tr '\0' '\n' </proc/self/environ"#, hard)
        let expected = hard.map { "\($0)\0" }.joined() + "PATH=/usr/bin:/bin\nCOLOUR=blue\n"
        #expect(result.output == Array(expected.utf8))
    }

    @Test func aProgramInheritsNothing() async throws {
        signal(SIGPIPE, SIG_IGN)
        let open = open("/dev/null", O_RDONLY)
        defer { close(open) }
        let facts = try await programs.loop.run(
            ChildCommand(["grep", "-E", "^Sig(Blk|Ign):", "/proc/self/status"]))
        let masks = facts.text.split(separator: "\n").compactMap { UInt64($0.suffix(16), radix: 16) }
        // Signals 32 and 33 are the C library's own; whoever has started this process may have it ignore them.
        #expect(masks.count == 2 && masks[0] == 0 && masks[1] & ~(0b11 << 31) == 0)
        let descriptors = try await programs.loop.run(ChildCommand(["ls", "/proc/self/fd"]))
        // The fourth is the folder that is listed.
        #expect(descriptors.text == "0\n1\n2\n3\n")
        let group = try await programs.run("cut -d ' ' -f 1,5 /proc/$$/stat")
        let numbers = group.text.split { $0 == " " || $0 == "\n" }
        #expect(numbers.count == 2 && numbers[0] == numbers[1])
    }

    @Test func aProgramThatIsNotThereIsAnError() async throws {
        for path in ["xcallback-no-such-program", "/etc/passwd", "/"] {
            await #expect(throws: SystemError.self) { try await programs.loop.run(ChildCommand([path])) }
        }
        #expect(try await programs.run("exit 0").ending == .exited(status: 0))
    }

    @Test func outputOverTheLimitEndsTheProgram() async throws {
        let exact = try await programs.run("printf 12345678", output: .kept(limit: 8))
        #expect(exact.text == "12345678" && !exact.exceededOutput)
        let over = try await programs.run("printf 123456789; exec sleep 600", output: .kept(limit: 8))
        #expect(over.exceededOutput)
        let endless = try await programs.run("exec cat /dev/zero", output: .kept(limit: 100_000))
        #expect(endless.exceededOutput && endless.output.count <= 100_000)
    }

    @Test func errorsWithoutEndAreNotKept() async throws {
        let result = try await programs.run("head -c 100000000 /dev/zero >&2; printf end >&2", output: .discarded)
        #expect(result.ending == .exited(status: 0))
        #expect(result.errors.count == 16_384 && result.errorText.hasSuffix("\0end"))
    }

    @Test func outputThatIsNotWantedGoesNowhere() async throws {
        let result = try await programs.run("head -c 100000000 /dev/zero", output: .discarded)
        #expect(result.ending == .exited(status: 0) && result.output.isEmpty)
    }

    @Test func aGrandchildThatHoldsThePipesEndsWithTheProgram() async throws {
        let result = try await programs.run("sleep 600 & echo $!")
        let grandchild = try #require(Int32(result.text.dropLast()))
        #expect(result.ending == .exited(status: 0))
        #expect(try await ended(grandchild))
    }

    @Test func aCancelledProgramEnds() async throws {
        let directory = try TemporaryDirectory()
        for (number, script) in ["exec sleep 600", "sleep 600; true", "sleep 600 & wait"].enumerated() {
            let task = Task { try await programs.run(": >\(directory.path)/\(number); \(script)") }
            while !directory.contains("\(number)") { await Task.yield() }
            task.cancel()
            #expect(try await task.value.ending == .killed(signal: SIGTERM))
        }
    }

    /// One that is cancelled while it waits for its start has never begun, and one that has begun is killed.
    @Test func aProgramThatIsCancelledAtOnceEndsOrNeverBegins() async throws {
        for _ in 0..<100 {
            let task = Task { try await programs.run("exec sleep 600") }
            while await programs.loop.childCount == 0 { await Task.yield() }
            task.cancel()
            do {
                #expect(try await task.value.ending == .killed(signal: SIGTERM))
            } catch is CancellationError {
                #expect(await programs.loop.childCount == 0)
            }
        }
    }

    @Test func aProgramThatIgnoresTheRequestIsKilled() async throws {
        let directory = try TemporaryDirectory()
        let script = "trap '' TERM; sleep 600 & : >\(directory.path)/ready; while :; do wait; done"
        let task = Task { try await programs.run(script) }
        while !directory.contains("ready") { await Task.yield() }
        task.cancel()
        #expect(try await task.value.ending == .killed(signal: SIGKILL))
    }

    @Test func aDetachedProgramLivesOn() async throws {
        let directory = try TemporaryDirectory()
        let script = #"cut -d ' ' -f 1,6 /proc/$$/stat >"$1/part"; mv "$1/part" "$1/all"; cat >/dev/null"#
        var command = ProgramLoop.command(script, [directory.path], input: "x")
        command.isDetached = true
        try await programs.loop.start(command) { _ in }
        #expect(await programs.loop.childCount == 0)
        while !directory.contains("all") { await Task.yield() }
        let numbers = try directory.text(of: "all").split { $0 == " " || $0 == "\n" }
        #expect(numbers.count == 2 && numbers[0] == numbers[1])
    }

    @Test func theLoopEndsAfterItsPrograms() async throws {
        let ended = Trace()
        let directory = try TemporaryDirectory()
        try await programs.loop.serve(
            { TestService { ScriptedSession(ended) } }, at: directory.path(of: "socket"),
            stopped: { ended.add("stopped") })
        let task = Task { try await programs.run("trap 'exit 7' TERM; while :; do sleep 0.01; done") }
        while await programs.loop.childCount == 0 { await Task.yield() }
        await programs.loop.stop()
        await ended.wait(for: "stopped")
        #expect([.exited(status: 7), .killed(signal: SIGTERM)].contains(try await task.value.ending))
    }

    @Test func aSecondStopKills() async throws {
        let directory = try TemporaryDirectory()
        let task = Task { try await programs.run("trap '' TERM; : >\(directory.path)/ready; while :; do :; done") }
        while !directory.contains("ready") { await Task.yield() }
        // In one turn of the loop, so that the time which the first stop leaves it cannot be over.
        let counts = await programs.loop.perform { loop in
            loop.stop()
            let count = loop.childCount
            loop.stop()
            return [count, loop.childCount]
        }
        #expect(counts == [1, 0])
        #expect(try await task.value.ending == .killed(signal: SIGKILL))
    }

    @Test func theEndIsNoticedAtOnce() async throws {
        let loop = programs.loop
        // On the loop's own queue, so that tests beside this one cannot keep it waiting.
        let task = Task(executorPreference: loop.executor) {
            var times: [Duration] = []
            for _ in 0..<20 {
                let start = ContinuousClock.now
                _ = try await loop.run(ChildCommand(["true"]))
                times.append(ContinuousClock.now - start)
            }
            // The first one may end as a lease does.
            return times.dropFirst().min()
        }
        // A loop that only looked at the end of its lease would take a second for each.
        #expect(try #require(try await task.value) < .milliseconds(500))
    }

    /// Waits until a process is gone, or a zombie that is not ours to reap.
    private func ended(_ process: Int32) async throws -> Bool {
        for _ in 0..<100_000 {
            guard let state = try? textOfFile("/proc/\(process)/stat") else { return true }
            if state.contains(") Z ") { return true }
            await Task.yield()
        }
        return false
    }
}
