import Glibc
import Synchronization
import Testing
import XCallbackEventLoop
import XCallbackLinux

/// Programs that something else runs than the loop.
@Suite(.timeLimit(.minutes(10)))
struct ProgramHostTests {
    private let programs: ProgramLoop

    init() throws {
        programs = try ProgramLoop()
    }

    /// Runs a command with a host that does what a function says, a turn of the loop later.
    private func run(
        _ command: ChildCommand = ProgramLoop.command(""), quota: ChildQuota? = nil,
        _ act: @escaping @Sendable (ChildID, isolated EventLoop) -> Void
    ) async throws -> ChildResult {
        try await programs.loop.runHosted(command, quota, act)
    }

    @Test func itsOutputAndItsErrorsAreRead() async throws {
        let result = try await run(ProgramLoop.command("", input: "read me")) { id, loop in
            let streams = loop.host.streams
            var bytes = [UInt8](repeating: 0, count: 7)
            #expect(read(streams[0], &bytes, 7) == 7 && bytes == Array("read me".utf8))
            _ = write(streams[1], "out", 3)
            _ = write(streams[2], "err", 3)
            loop.noteEnd(of: id, .success(.exited(status: 3)))
        }
        #expect(result.ending == .exited(status: 3))
        #expect(result.text == "out" && result.errorText == "err")
    }

    @Test func whatTheHostSaysOfTheStartIsThrown() async throws {
        await #expect(throws: SystemError("execve", code: ENOEXEC)) {
            _ = try await run { id, loop in loop.noteEnd(of: id, .failure(SystemError("execve", code: ENOEXEC))) }
        }
        #expect(await programs.loop.childCount == 0)
    }

    @Test func whatTheHostRefusesAtOnceIsThrown() async throws {
        await #expect(throws: SystemError.self) {
            await programs.loop.perform { loop in loop.host.refusal = SystemError("connect", code: ENOTCONN) }
            _ = try await run { _, _ in }
        }
        #expect(await programs.loop.childCount == 0)
    }

    @Test func theEndIsAskedForOnceAndWaitedFor() async throws {
        let task = Task { try await run { _, _ in } }
        while await programs.loop.childCount == 0 { await Task.yield() }
        task.cancel()
        while await programs.loop.perform({ $0.host.ended.isEmpty }) { await Task.yield() }
        #expect(await programs.loop.childCount == 1)
        await programs.loop.perform { loop in
            for id in loop.host.ended { loop.noteEnd(of: id, .success(.killed(signal: SIGTERM))) }
        }
        #expect(try await task.value.ending == .killed(signal: SIGTERM))
        #expect(await programs.loop.perform { $0.host.ended.count } == 1)
    }

    @Test func outputOverTheLimitEndsTheProgram() async throws {
        let result = try await run(ProgramLoop.command("", output: .kept(limit: 2))) { id, loop in
            loop.host.endsAtOnce = true
            _ = write(loop.host.streams[1], "abc", 3)
        }
        #expect(result.exceededOutput && result.ending == .killed(signal: SIGTERM))
    }

    @Test func theyCountWithTheLoopsOwn() async throws {
        let quota = ChildQuota(group: "a", limit: 1)
        let task = Task { try await run(quota: quota) { _, _ in } }
        while await programs.loop.childCount == 0 { await Task.yield() }
        await #expect(throws: ChildQuota.Excess.self) {
            _ = try await programs.loop.run(ChildCommand(["true"]), within: quota)
        }
        await programs.loop.stop()
        // The loop ends without it, and whoever waits hears so.
        await #expect(throws: CancellationError.self) { _ = try await task.value }
        #expect(await programs.loop.perform { $0.host.ended.isEmpty })
    }

    @Test func aDetachedOneIsKnownUntilItHasEnded() async throws {
        var command = ProgramLoop.command("")
        command.isDetached = true
        let ends = EndCount()
        try await programs.loop.startHosted(command, ends) { id, loop in
            loop.noteStart(of: id)
            #expect(ends.count == 0)
            loop.noteEnd(of: id, .success(.exited(status: 1)))
            #expect(ends.count == 1)
        }
        // Its host has lost sight of it.
        try await programs.loop.startHosted(command, ends) { id, loop in
            loop.noteStart(of: id)
            loop.noteEnd(of: id, .failure(SystemError("the bus", code: EIO)))
            #expect(ends.count == 2)
        }
        // It has ended before it was seen running.
        try await programs.loop.startHosted(command, ends) { id, loop in
            loop.noteEnd(of: id, .success(.exited(status: 0)))
            #expect(ends.count == 3)
        }
        await #expect(throws: SystemError.self) {
            try await programs.loop.startHosted(command, ends) { id, loop in
                loop.noteEnd(of: id, .failure(SystemError("execve", code: ENOENT)))
            }
        }
        #expect(ends.count == 3)
    }
}

/// How many programs have ended.
private final class EndCount: Sendable {
    private let number = Atomic(0)

    var count: Int { number.load(ordering: .relaxed) }

    func add() { number.add(1, ordering: .relaxed) }
}

/// A host that notes what it is asked for.
private final class TestHost: ProgramHost {
    /// The descriptors of the last program.
    var streams: [Int32] = []
    var ended: [ChildID] = []
    var refusal: SystemError?
    /// Whether what is to end does so at once.
    var endsAtOnce = false
    var act: @Sendable (ChildID, isolated EventLoop) -> Void = { _, _ in }

    deinit { for number in streams { close(number) } }

    func begin(
        _ program: ChildCommand, _ id: ChildID, _ given: consuming ProgramStreams, on loop: isolated EventLoop
    ) throws(SystemError) {
        if let refusal { throw refusal }
        let numbers = given.numbers
        streams = [numbers.input, numbers.output ?? -1, numbers.errors ?? -1].map { dup($0) }
        let act = act
        _ = loop.call(after: .zero) { act(id, loop) }
    }

    func end(_ id: ChildID, on loop: isolated EventLoop) {
        ended.append(id)
        if endsAtOnce {
            _ = loop.call(after: .zero) { loop.noteEnd(of: id, .success(.killed(signal: SIGTERM))) }
        }
    }
}

extension EventLoop {
    fileprivate var host: TestHost { resident { TestHost() } }

    fileprivate func runHosted(
        _ command: ChildCommand, _ quota: ChildQuota?, _ act: @escaping @Sendable (ChildID, isolated EventLoop) -> Void
    ) async throws -> ChildResult {
        host.act = act
        return try await run(command, within: quota, under: host)
    }

    fileprivate func startHosted(
        _ command: ChildCommand, _ ends: EndCount, _ act: @escaping @Sendable (ChildID, isolated EventLoop) -> Void
    ) async throws {
        host.act = act
        try await start(command, under: host) { _ in ends.add() }
    }
}
