import Glibc
import Synchronization
import Testing
import XCallbackBytes
import XCallbackEventLoop
import XCallbackTesting

/// What becomes of input that is put off because the work on other input takes long.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct PuttingOffTests {
    /// What happens to the client whose input is put off.
    enum Event: CaseIterable {
        /// It has ended its input with it.
        case end
        /// It has ended its input with it, of which it had sent a part before.
        case endOfMore
        /// The loop drains.
        case drain
        /// Its session is woken.
        case wake
    }

    @Test(arguments: Event.allCases)
    func inputThatIsPutOffIsWorkedOn(event: Event) async throws {
        let test = try await PuttingOff()
        nonisolated(unsafe) let client = test.client
        if event == .endOfMore {
            try client.send("a")
            await test.loop.trace.wait(for: "a")
        }
        await test.putOff {
            try? client.send("b\n")
            if event == .end || event == .endOfMore { client.endSending() }
        } next: { id, loop in
            if event == .drain { loop.drain() }
            if event == .wake { loop.wake(id) }
        }
        #expect(try client.readLine() == "b")
        switch event {
        case .wake: #expect(try client.ask("c") == "c")
        default: #expect(try client.readLine() == nil)
        }
        let seen = test.loop.trace.all.filter { $0 == "b\n" || $0 == "ab\n" }
        #expect(seen == [event == .endOfMore ? "ab\n" : "b\n"])
    }

    /// The end is all that is put off, behind a message that is not complete.
    @Test func anEndThatIsPutOffEndsTheConnection() async throws {
        let test = try await PuttingOff()
        try test.client.send("a")
        await test.loop.trace.wait(for: "a")
        nonisolated(unsafe) let client = test.client
        await test.putOff {
            client.endSending()
        } next: { _, _ in
        }
        #expect(try client.readLine() == nil)
        await test.loop.trace.wait(for: "closed")
        #expect(test.loop.trace.all.contains("a, the end"))
    }

    /// A session that waits for an event once it has come to its input goes on when the event comes, and not before.
    @Test(arguments: [false, true])
    func aSessionThatThenWaitsGoesOnWithItsEvent(isClientsEnd: Bool) async throws {
        let test = try await PuttingOff()
        nonisolated(unsafe) let client = test.client
        await test.putOff {
            try? client.send("wait\nd\n")
            if isClientsEnd { client.endSending() }
        } next: { _, _ in
        }
        await test.loop.trace.wait(for: "waits")
        #expect(!client.hasInput)
        await test.loop.loop.perform { loop in test.wake(on: loop) }
        #expect(try client.readLine() == "woken")
        #expect(try client.readLine() == "d")
        if isClientsEnd { #expect(try client.readLine() == nil) }
    }
}

/// Two clients of one account, of which the first takes the loop's time.
private final class PuttingOff: @unchecked Sendable {
    let loop: TestLoop
    /// The one whose input is put off.
    let client: LineClient
    private let first: LineClient
    private let id: ConnectionID

    init() async throws {
        nonisolated(unsafe) let account = Account()
        let ids = Mutex<[ConnectionID]>([])
        loop = try await TestLoop { trace in
            SlowSession(trace, account) { id in ids.withLock { $0.append(id) } }
        }
        first = try loop.connect()
        await loop.trace.wait(for: "opened")
        client = try loop.connect()
        await loop.trace.wait(for: "opened")
        id = ids.withLock { $0[1] }
    }

    /// Lets both clients have something when the loop looks again, of which the second's is put off.
    ///
    /// - Parameters:
    ///   - send: Sends what the second has.
    ///   - next: What happens on the loop as soon as that is put off.
    func putOff(
        _ send: @Sendable () -> Void, next: @escaping @Sendable (ConnectionID, isolated EventLoop) -> Void
    ) async {
        let id = id
        await loop.loop.perform { loop in
            try? first.send([UInt8](repeating: 0x41, count: 10_000))
            send()
            SlowSession.next.withLock { $0 = { next(id, $0) } }
        }
    }

    func wake(on loop: isolated EventLoop) { loop.wake(id) }
}

/// A session that works for 2 ms on what is long, and sends back complete lines; behind `wait` it waits for an event.
private final class SlowSession: TestSession {
    /// What happens while it works.
    static let next = Mutex<(@Sendable (isolated EventLoop) -> Void)?>(nil)

    let account: Account
    private let trace: Trace
    private let hears: @Sendable (ConnectionID) -> Void
    private var isWaiting = false

    init(_ trace: Trace, _ account: Account, hears: @escaping @Sendable (ConnectionID) -> Void) {
        self.trace = trace
        self.account = account
        self.hears = hears
    }

    func opened(_ id: ConnectionID, on loop: isolated EventLoop) {
        hears(id)
        trace.add("opened")
    }

    func proceed(
        _ input: Span<UInt8>, isAtEnd: Bool, _ output: inout ByteBuffer, on loop: isolated EventLoop
    ) -> Progress {
        if input.count > 1000 {
            usleep(2000)
            Self.next.withLock { $0.take() }?(loop)
            return Progress(consumed: input.count, need: .input)
        }
        if isWaiting {
            isWaiting = false
            output.append(Array("woken\n".utf8).span)
        }
        let bytes = input.indices.map { input[$0] }
        let text = String(decoding: bytes, as: UTF8.self)
        trace.add(isAtEnd ? "\(text), the end" : text)
        if text.hasPrefix("wait\n") {
            isWaiting = true
            trace.add("waits")
            return Progress(consumed: 5, need: .event)
        }
        guard text.hasSuffix("\n") else { return Progress(consumed: 0, need: .input) }
        output.append(Array(text.drop { $0 == "a" }.utf8).span)
        return Progress(consumed: input.count, need: .input)
    }

    func closed(on loop: isolated EventLoop) {
        trace.add("closed")
    }
}
