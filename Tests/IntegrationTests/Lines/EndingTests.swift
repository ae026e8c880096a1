import Glibc
import Testing
import XCallbackTesting

/// Conversations that end while something is in progress.
@Suite(.blocking, .timeLimit(.minutes(10)))
struct EndingTests {
    @Test func aConversationThatHasEndedStaysEndedWhileItsAnswersAreUnsent() throws {
        let daemon = try RunningDaemon(StartStopTests.configuration)
        let other = try daemon.connect()
        let client = try daemon.connect()
        let count = 2200
        try client.send(String(repeating: "zzz:\n", count: count) + "GET / HTTP/1.1\n")
        // The answers exceed the socket's capacity; the answer to the other client shows that they are written.
        _ = try other.ask("notes:/ping")
        let late = Array("notes:/echo?v=LATE\n".utf8)
        _ = try late.withUnsafeBytes { try client.trySend($0) }
        var lines: [String] = []
        while let line = try client.readLine() { lines.append(line) }
        #expect(lines.count == count + 1)
        #expect(!lines.contains { $0.contains("LATE") })
    }

    @Test func whatWasSentBeforeTheDaemonIsStoppedIsAnswered() throws {
        let daemon = try RunningDaemon(StartStopTests.configuration)
        let client = try daemon.connect()
        _ = try client.ask("notes:/ping")
        let count = 9000
        daemon.process.send(signal: SIGSTOP)
        try client.send((0..<count).map { "notes:/echo?v=\($0)\n" }.joined())
        daemon.process.send(signal: SIGTERM)
        daemon.process.send(signal: SIGCONT)
        for number in 0..<count {
            try #require(try client.readLine() == "xcallback://x-callback-url/success?v=\(number)")
        }
        #expect(try client.readLine() == nil)
        #expect(try daemon.process.wait() == 0)
    }
}
