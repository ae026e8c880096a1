import Synchronization
import TestSupport
import Testing
import XCallbackEventLoop
import XCallbackTesting

/// What becomes of connections and their sessions.
@Suite(.timeLimit(.minutes(10)))
struct ConnectionTests {
    @Test
    func aSessionThatAnswersLaterKeepsTheOrder() async throws {
        let gate = Gate()
        let test = try await TestLoop { ScriptedSession($0, gate: gate) }
        let client = try test.connect()
        try client.send("echo 1\nwait 2\necho 3\nwait 4\necho 5\n")
        expect(try client.readLine(), equals: "1")
        try await test.trace.wait(for: "wait 2")
        #expect(test.trace.all == ["opened", "echo 1", "wait 2"])
        await gate.open(on: test.loop)
        expect(try client.readLine(), equals: "2")
        expect(try client.readLine(), equals: "3")
        await gate.open(on: test.loop)
        expect(try client.readLine(), equals: "4")
        expect(try client.readLine(), equals: "5")
    }

    @Test(arguments: [1, 3])
    func aDrainAnswersAllThatWasSentInOrder(wakeCount: Int) async throws {
        let ids = Mutex<[ConnectionID]>([])
        let test = try await TestLoop { trace in
            ScriptedSession(trace) { id in ids.withLock { $0.append(id) } }
        }
        // Used by one thread at a time: the loop's while the test waits for it.
        nonisolated(unsafe) let client = try test.connect()
        try await test.trace.wait(for: "opened")
        // More than is read at a time, and less than a socket holds.
        let count = 10_000
        let lines = (0..<count).map { "echo \($0)\n" }.joined()
        let sentCount = await test.loop.perform { loop in
            let sentCount = try? client.sendNow(Array(lines.utf8)[...])
            loop.drain()
            // It may have reasons of its own to be looked at again.
            for id in ids.withLock({ $0 }) { for _ in 0..<wakeCount { loop.wake(id) } }
            return sentCount
        }
        #expect(sentCount == lines.utf8.count)
        expect(try client.readToEnd(), equals: (0..<count).map(String.init))
    }

    @Test
    func aSessionIsNotifiedOfAHangUpWhileItWaits() async throws {
        let test = try await TestLoop { ScriptedSession($0) }
        do {
            let client = try test.connect()
            try client.send("wait 1\n")
            try await test.trace.wait(for: "wait 1")
        }
        try await test.trace.wait(for: "closed")
        expect(await test.loop.connectionCount, equals: 0)
    }

    @Test
    func aSessionThatIsWokenWritesBehindWhatIsNotSentYet() async throws {
        let test = try await TestLoop { ScriptedSession($0) }
        let client = try test.connect()
        try client.send("fill 5000000\necho 3\n")
        try await test.trace.wait(for: "fill 5000000")
        // A round trip of another client, so that the loop has been through its list of those who are awake.
        let other = try test.connect()
        expect(try other.ask("echo 1"), equals: "1")
        expect(try client.readLine()?.utf8.count, equals: 5_000_000)
        expect(try client.readLine(), equals: "filled")
        expect(try client.readLine(), equals: "3")
    }

    @Test
    func whatASessionEndsIsReadToItsLastLine() async throws {
        let test = try await TestLoop { ScriptedSession($0) }
        let client = try test.connect()
        try client.send("echo 1\nclose\n" + String(repeating: "echo 2\n", count: 10_000))
        expect(try client.readToEnd(), equals: ["1"])
    }

    @Test
    func theNameOfAConnectionThatIsGoneNamesNoOther() async throws {
        let names = Mutex<[ConnectionID]>([])
        let test = try await TestLoop { trace in
            ScriptedSession(trace) { id in names.withLock { $0.append(id) } }
        }
        do {
            let client = try test.connect()
            expect(try client.ask("echo 1"), equals: "1")
        }
        try await test.trace.wait(for: "closed")
        let client = try test.connect()
        expect(try client.ask("echo 2"), equals: "2")
        let ids = names.withLock { $0 }
        #expect(Set(ids).count == 2)
        await test.loop.perform { loop in
            loop.wake(ids[0])
            loop.disconnect(ids[0])
        }
        expect(try client.ask("echo 3"), equals: "3")
    }
}
