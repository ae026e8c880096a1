import Glibc
import Synchronization
import Testing
import XCallbackEventLoop
import XCallbackTesting
import XCallbackWire

/// When answers are sent: a few together, but none waits long for others.
@Suite(.timeLimit(.minutes(10)))
struct SendingTests {
    @Test func longWorkIsAnsweredBeforeOtherInputIsProcessed() async throws {
        #expect(try await Self.observations(clientCount: 2, time: 2000).last == "answered")
    }

    @Test func sixteenAnswersAreSentBeforeMoreInputIsProcessed() async throws {
        #expect(try await Self.observations(clientCount: 17).last == "answered")
    }

    /// Lets clients send at the same time.
    ///
    /// - Parameters:
    ///   - clientCount: The number of clients.
    ///   - time: How long each session works, in microseconds.
    /// - Returns: Whether one of them had its answer, for each when it was processed.
    /// - Throws: ``TestFailure`` if a client cannot connect, send or read.
    private static func observations(clientCount: Int, time: UInt32 = 0) async throws -> [String] {
        nonisolated(unsafe) var clients: [LineClient] = []
        nonisolated(unsafe) let account = Account()
        let test = try await TestLoop { trace in
            Echo(trace, account) {
                let isAnswered = clients.contains(where: \.hasInput)
                usleep(time)
                return isAnswered ? "answered" : "not answered"
            }
        }
        for _ in 0..<clientCount {
            clients.append(try test.connect())
            await test.trace.wait(for: "opened")
        }
        // All have something when the loop continues.
        await test.loop.perform { _ in for client in clients { try? client.send("A\n") } }
        // An answer that is read too early is not observed.
        while test.trace.all.count < 2 * clientCount { await test.loop.perform { _ in } }
        for client in clients { #expect(try client.readLine() == "A") }
        let observations = test.trace.all.filter { $0 != "opened" }
        #expect(observations.count == clientCount)
        return observations
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
