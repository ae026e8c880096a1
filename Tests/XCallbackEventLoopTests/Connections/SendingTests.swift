import Glibc
import Synchronization
import Testing
import XCallbackBytes
import XCallbackEventLoop
import XCallbackTesting

/// When answers are sent.
@Suite(.timeLimit(.minutes(10)))
struct SendingTests {
    /// Two clients that have sent something when the loop looks.
    struct Pair {
        /// How much the first of them has sent.
        let byteCount: Int
        /// Whether they are of one account.
        let isOneAccount: Bool
        /// For how long the first one's session works, in microseconds.
        var time: UInt32 = 0
        /// Whether the first has its answer before the second is worked on.
        let isFirstAnswered: Bool
    }

    /// Few requests of many clients are answered together, and many of one account, unless they take long.
    ///
    /// Nobody else waits for many.
    @Test(arguments: [
        Pair(byteCount: 10, isOneAccount: false, isFirstAnswered: false),
        Pair(byteCount: 10_000, isOneAccount: false, isFirstAnswered: true),
        Pair(byteCount: 10_000, isOneAccount: true, isFirstAnswered: false),
        Pair(byteCount: 10_000, isOneAccount: true, time: 2000, isFirstAnswered: true),
        Pair(byteCount: 20_000, isOneAccount: true, isFirstAnswered: true),
    ])
    func manyBytesAreAnsweredBeforeOthersAreWorkedOn(pair: Pair) async throws {
        var run = try await Self.run(pair)
        // If another process gets the processor meanwhile, the work takes long without having to.
        for _ in 0..<100 where !pair.isFirstAnswered && run.duration >= .microseconds(500) {
            run = try await Self.run(pair)
        }
        #expect(
            run.events == ["opened", "opened", "not answered", pair.isFirstAnswered ? "answered" : "not answered"],
            "\(run.duration)")
    }

    /// Lets both clients send, and returns what happened, and how long it took until the second one was worked on.
    private static func run(_ pair: Pair) async throws -> (events: [String], duration: Duration) {
        let first = Mutex<LineClient?>(nil)
        let times = Mutex<(start: ContinuousClock.Instant, end: ContinuousClock.Instant)>((.now, .now))
        nonisolated(unsafe) let account = Account()
        let test = try await TestLoop { trace in
            Echo(trace, pair.isOneAccount ? account : Account()) {
                times.withLock { $0.end = .now }
                let isAnswered = first.withLock { $0?.hasInput == true }
                usleep(pair.time)
                return isAnswered ? "answered" : "not answered"
            }
        }
        try first.withLock { $0 = try test.connect() }
        await test.trace.wait(for: "opened")
        nonisolated(unsafe) let second = try test.connect()
        await test.trace.wait(for: "opened")
        // Both have something when the loop looks again.
        await test.loop.perform { _ in
            try? first.withLock { try $0?.send([UInt8](repeating: 0x41, count: pair.byteCount)) }
            try? second.send([0x42, 0x0A])
            times.withLock { $0.start = .now }
        }
        #expect(try second.readLine() == "B")
        return (test.trace.all, times.withLock { $0.end - $0.start })
    }
}

/// A session that sends back what it gets, and tells before that how things are.
private final class Echo: TestSession {
    let account: Account
    private let trace: Trace
    private let look: @Sendable () -> String

    init(_ trace: Trace, _ account: Account, look: @escaping @Sendable () -> String) {
        self.trace = trace
        self.account = account
        self.look = look
    }

    func opened(_ id: ConnectionID, on loop: isolated EventLoop) {
        trace.add("opened")
    }

    func proceed(
        _ input: Span<UInt8>, isAtEnd: Bool, _ output: inout ByteBuffer, on loop: isolated EventLoop
    ) -> Progress {
        trace.add(look())
        output.append(input)
        return Progress(consumed: input.count, need: .input)
    }

    func closed(on loop: isolated EventLoop) {}
}
