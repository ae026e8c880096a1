import Dispatch
import Synchronization
import TestSupport
import Testing
import XCallbackEventLoop
import XCallbackTesting
import XCallbackWire

/// What runs on the loop, and when.
@Suite(.timeLimit(.minutes(10)))
struct EventLoopTests {
    @Test
    func everyJobOfManyThreadsRuns() async throws {
        let test = try await TestLoop { ScriptedSession($0) }
        let loop = test.loop
        let trace = EventLog()
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
    func aStopClosesEveryConnectionAndIsReportedOnce() async throws {
        let test = try await TestLoop { ScriptedSession($0) }
        let clients = try (0..<5).map { _ in try test.connect() }
        for client in clients { expect(try client.ask("echo 1"), equals: "1") }
        await test.loop.stop()
        try await test.trace.wait(for: "stopped")
        for client in clients { expect(try client.readLine(), equals: nil) }
        #expect(test.trace.all.filter { $0 == "closed" }.count == 5)
        #expect(test.trace.all.filter { $0 == "stopped" }.count == 1)
        #expect(throws: TestFailure.self) { try test.connect() }
    }

    @Test
    func aLoopThatHasEndedKeepsNothingThatItHadToDo() async throws {
        let trace = EventLog()
        let opened = EventLog()
        let id = Mutex<ConnectionID?>(nil)
        let test = try await TestLoop { _ in
            let kept = Kept(trace, "session")
            return ScriptedSession(opened) { number in
                id.withLock { $0 = number }
                _ = kept
            }
        }
        let client = try test.connect()
        try await opened.wait(for: "opened")
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
        try await test.trace.wait(for: "stopped")
        #expect(trace.all.sorted() == ["call", "session", "work"])
        expect(try client.readLine(), equals: nil)
    }

    @Test
    func whatIsSentAfterTheEndOfAllSessionsFails() async throws {
        let test = try await TestLoop { ScriptedSession($0) }
        let (asking, silent) = (try test.connect(), try test.connect())
        try asking.send("wait 1\n")
        try await test.trace.wait(for: "wait 1")
        expect(await test.loop.perform { $0.endSessions().map(\.hasInput) }, equals: [false])
        #expect(throws: TestFailure.self) { try silent.send("echo 1\n") }
        #expect(!test.trace.all.contains("echo 1"))
    }
}

/// Something that tells when nothing keeps it any more.
private final class Kept: Sendable {
    let trace: EventLog
    private let name: String

    init(_ trace: EventLog, _ name: String) {
        self.trace = trace
        self.name = name
    }

    deinit { trace.add(name) }
}
