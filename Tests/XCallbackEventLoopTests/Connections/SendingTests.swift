import Synchronization
import Testing
import XCallbackBytes
import XCallbackEventLoop
import XCallbackTesting

/// When answers are sent.
@Suite(.timeLimit(.minutes(10)))
struct SendingTests {
    /// Few requests of many clients are answered together; who sends many at a time does not wait for others.
    @Test(arguments: [(byteCount: 10, isFirstAnswered: false), (byteCount: 10_000, isFirstAnswered: true)])
    func manyBytesAreAnsweredBeforeOthersAreWorkedOn(byteCount: Int, isFirstAnswered: Bool) async throws {
        let first = Mutex<LineClient?>(nil)
        let test = try await TestLoop { trace in
            Echo(trace) { first.withLock { $0?.hasInput == true } ? "answered" : "not answered" }
        }
        try first.withLock { $0 = try test.connect() }
        await test.trace.wait(for: "opened")
        nonisolated(unsafe) let second = try test.connect()
        await test.trace.wait(for: "opened")
        // Both have something when the loop looks again.
        await test.loop.perform { _ in
            try? first.withLock { try $0?.send([UInt8](repeating: 0x41, count: byteCount)) }
            try? second.send([0x42, 0x0A])
        }
        #expect(try second.readLine() == "B")
        #expect(
            test.trace.all == ["opened", "opened", "not answered", isFirstAnswered ? "answered" : "not answered"])
    }
}

/// A session that sends back what it gets, and tells before that how things are.
private final class Echo: TestSession {
    let account = Account()
    private let trace: Trace
    private let look: @Sendable () -> String

    init(_ trace: Trace, look: @escaping @Sendable () -> String) {
        self.trace = trace
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
