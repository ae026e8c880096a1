import Glibc
import TestSupport
import Testing
import XCallbackTesting

/// Clients that send without reading.
@Suite(.blocking)
struct BackPressureTests {
    private static let lineCount = 100_000

    @Test
    func aClientThatDoesNotReadCostsLittleAndLosesNothing() throws {
        let daemon = try RunningDaemon(RunningDaemon.echoConfiguration)
        let other = try daemon.connect()
        _ = try other.ask("notes:/ping")
        let start = try daemon.state.residentSize
        let client = try daemon.connect()
        var rest = Array((0..<Self.lineCount).map { "notes:/echo?v=\($0)\n" }.joined().utf8)[...]
        func sendNow() throws { rest = rest.dropFirst(try client.sendNow(rest)) }
        // The daemon has stopped reading if the socket stays full during two requests of another client.
        var unsentCounts: [Int] = []
        repeat {
            try sendNow()
            unsentCounts.append(rest.count)
            _ = try other.ask("notes:/ping")
        } while Set(unsentCounts.suffix(3)).count > 1 || unsentCounts.count < 3
        #expect(!rest.isEmpty)
        #expect(try daemon.state.residentSize - start < 4 << 20)

        for number in 0..<Self.lineCount {
            try sendNow()
            try #require(try client.readLine() == "xcallback://x-callback-url/success?v=\(number)")
        }
        #expect(try daemon.state.residentSize - start < 4 << 20)
    }

    @Test func aConversationThatHasEndedStaysEndedWhileItsAnswersAreUnsent() throws {
        let daemon = try RunningDaemon(RunningDaemon.echoConfiguration)
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

    @Test
    func aStopKeepsTheAnswersOfAClientThatDoesNotRead() throws {
        let daemon = try RunningDaemon(RunningDaemon.echoConfiguration)
        let client = try daemon.connect()
        let other = try daemon.connect()
        // Enough that the socket is full of answers, and few enough that the daemon reads them all.
        let count = 7000
        try client.send((0..<count).map { "notes:/echo?v=\($0)\n" }.joined())
        for _ in 0..<3 { _ = try other.ask("notes:/ping") }
        try client.send("notes:/echo?v=\(count)\n")
        daemon.process.send(signal: SIGTERM)
        expect(try other.readLine(), equals: nil)
        expect(try client.readToEnd(), equals: (0...count).map { "xcallback://x-callback-url/success?v=\($0)" })
        expect(try daemon.process.wait(), equals: 0)
    }
}
