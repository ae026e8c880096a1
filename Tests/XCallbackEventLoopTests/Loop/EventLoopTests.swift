import Dispatch
import Synchronization
import Testing
import XCallbackEventLoop
import XCallbackTesting
import XCallbackWire

/// What runs on the loop, and when.
@Suite(.timeLimit(.minutes(10)))
struct EventLoopTests {
    @Test
    func aTaskThatPrefersTheLoopBeginsAfterItsMaker() async throws {
        let test = try await TestLoop { ImmediateSession($0) }
        let client = try test.connect()
        try client.send("x")
        await test.trace.wait(for: "task")
        #expect(test.trace.all == ["opened", "before", "after", "task"])
    }

    @Test
    func jobsRunInTheOrderInWhichTheyWerePosted() async throws {
        let test = try await TestLoop { ScriptedSession($0) }
        let numbers = Mutex<[Int]>([])
        let tasks = await test.loop.perform { loop in
            (0..<1000).map { number in
                Task {
                    loop.preconditionIsolated()
                    numbers.withLock { $0.append(number) }
                }
            }
        }
        for task in tasks { await task.value }
        #expect(numbers.withLock { $0 } == Array(0..<1000))
    }

    @Test
    func everyJobOfManyThreadsRuns() async throws {
        let test = try await TestLoop { ScriptedSession($0) }
        let loop = test.loop
        let trace = Trace()
        await withTaskGroup(of: Void.self) { group in
            for poster in 0..<8 {
                group.addTask { @Sendable in
                    for number in 0..<5000 { await loop.perform { _ in trace.add("\(poster) \(number)") } }
                }
            }
        }
        for poster in 0..<8 {
            let own = trace.all.filter { $0.hasPrefix("\(poster) ") }
            #expect(own == (0..<5000).map { "\(poster) \($0)" })
        }
    }

    @Test
    func aStopClosesEveryConnectionAndIsToldOnce() async throws {
        let test = try await TestLoop { ScriptedSession($0) }
        let clients = try (0..<5).map { _ in try test.connect() }
        for client in clients { #expect(try client.ask("echo 1") == "1") }
        await test.loop.stop()
        await test.trace.wait(for: "stopped")
        for client in clients { #expect(try client.readLine() == nil) }
        #expect(test.trace.all.filter { $0 == "closed" }.count == 5)
        #expect(test.trace.all.filter { $0 == "stopped" }.count == 1)
        #expect(throws: TestFailure.self) { try test.connect() }
    }

    @Test
    func aLoopThatHasStoppedStillRunsItsJobs() async throws {
        let test = try await TestLoop { ScriptedSession($0) }
        await test.loop.stop()
        await test.trace.wait(for: "stopped")
        #expect(await test.loop.connectionCount == 0)
    }

    @Test
    func aDrainAnswersWhatWasReceivedAndThenCloses() async throws {
        let gate = Gate()
        let test = try await TestLoop { ScriptedSession($0, gate: gate) }
        let idle = try test.connect()
        let busy = try test.connect()
        try busy.send("wait 1\necho 2\n")
        await test.trace.wait(for: "wait 1")
        await test.loop.drain()
        #expect(try idle.readLine() == nil)
        #expect(throws: TestFailure.self) { try test.connect() }
        await gate.open(on: test.loop)
        #expect(try busy.readToEnd() == ["1", "2"])
    }

    @Test
    func aLoopThatHasEndedKeepsNothingThatItHadToDo() async throws {
        let trace = Trace()
        let opened = Trace()
        let id = Mutex<ConnectionID?>(nil)
        let test = try await TestLoop { _ in
            let kept = Kept(trace, "session")
            return ScriptedSession(opened) { number in
                id.withLock { $0 = number }
                _ = kept
            }
        }
        let client = try test.connect()
        await opened.wait(for: "opened")
        await test.loop.perform { loop in
            let (call, work) = (Kept(trace, "call"), Kept(trace, "work"))
            _ = loop.call(after: .seconds(600)) { [loop] in loop.assumeIsolated { _ in _ = call } }
            // Nothing has its turn between this and the end of the loop.
            _ = loop.call(after: .zero) {
                loop.addWork(for: loop.account(of: 0, .socket)) { [work] in work.trace.all.isEmpty }
                if let id = id.withLock({ $0 }) { loop.wake(id) }
                loop.stop()
            }
        }
        await test.trace.wait(for: "stopped")
        #expect(trace.all.sorted() == ["call", "session", "work"])
        #expect(try client.readLine() == nil)
    }

    @Test
    func whatIsSentAfterTheEndOfAllSessionsFails() async throws {
        let test = try await TestLoop { ScriptedSession($0) }
        let (asking, silent) = (try test.connect(), try test.connect())
        try asking.send("wait 1\n")
        await test.trace.wait(for: "wait 1")
        #expect(await test.loop.perform { $0.endSessions().map(\.hasInput) } == [false])
        #expect(throws: TestFailure.self) { try silent.send("echo 1\n") }
        #expect(!test.trace.all.contains("echo 1"))
    }

    @Test
    func aDrainAcceptsAllWhoHaveConnected() async throws {
        let test = try await TestLoop { ScriptedSession($0) }
        let begun = Trace()
        let connected = DispatchSemaphore(value: 0)
        // One turn in which the loop cannot accept anybody.
        Task {
            await test.loop.perform { loop in
                begun.add("turn")
                connected.wait()
                loop.drain()
            }
        }
        await begun.wait(for: "turn")
        let clients = try {
            defer { connected.signal() }
            // More than it accepts in a turn.
            return try (0..<200).map { number in
                let client = try test.connect()
                try client.send("echo \(number)\n")
                return client
            }
        }()
        for (number, client) in clients.enumerated() { #expect(try client.readToEnd() == ["\(number)"]) }
    }
}

/// Something that tells when nothing keeps it any more.
private final class Kept: Sendable {
    let trace: Trace
    private let name: String

    init(_ trace: Trace, _ name: String) {
        self.trace = trace
        self.name = name
    }

    deinit { trace.add(name) }
}

/// A session that starts a task when it gets a byte.
private final class ImmediateSession: TestSession {
    let account = Account()
    private let trace: Trace

    init(_ trace: Trace) {
        self.trace = trace
    }

    func opened(_ id: ConnectionID, on loop: isolated EventLoop) { trace.add("opened") }

    func proceed(
        _ input: Span<UInt8>, isAtEnd: Bool, _ output: inout ByteBuffer, on loop: isolated EventLoop
    ) -> Progress {
        trace.add("before")
        Task.immediate(executorPreference: loop.executor) { note("task", on: loop) }
        note("after", on: loop)
        return Progress(consumed: input.count, need: .input)
    }

    func closed(on loop: isolated EventLoop) {}

    private func note(_ event: String, on loop: isolated EventLoop) { trace.add(event) }
}
