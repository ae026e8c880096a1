import Testing
import XCallbackTesting

/// A million lines of every kind to one daemon.
struct GeneratedLineTests {
    private static let lineCount = 1_000_000
    private static let chunkSize = 400

    @Test(.timeLimit(.minutes(10)))
    func everyLineOfAMillionIsAnsweredAsItHasToBe() throws {
        let daemon = try RunningDaemon(StartStopTests.configuration)
        var random = SeededGenerator(seed: 0x2026)
        var conversations = try (0..<8).map { _ in try Conversation(daemon) }
        var sentCount = 0
        var earlySize: Int?
        while sentCount < Self.lineCount {
            // All are sent before any answer is read, so that the daemon and the test work at the same time.
            for index in conversations.indices {
                sentCount += try conversations[index].send(Self.chunk(&random))
            }
            for index in conversations.indices { try conversations[index].readAnswers(daemon) }
            if earlySize == nil, sentCount >= Self.lineCount / 10 { earlySize = try daemon.facts.residentSize }
        }
        #expect(daemon.process.isRunning)
        let growth = try daemon.facts.residentSize - (earlySize ?? 0)
        #expect(growth <= 1 << 20)
        #expect(try daemon.stop() == 0)
    }

    @Test(.timeLimit(.minutes(10)))
    func whatAConnectionBeginsWithMayBeAnything() throws {
        let daemon = try RunningDaemon(StartStopTests.configuration)
        var random = SeededGenerator(seed: 0x2027)
        for _ in 0..<5000 {
            let bytes = (0..<random.below(100)).map { _ in UInt8(random.below(256)) } + [UInt8(ascii: "\n")]
            let client = try daemon.connect()
            _ = try bytes.withUnsafeBytes { try client.trySend($0) }
            client.endSending()
            let answers = try client.readToEnd()
            #expect(answers.count <= bytes.count { $0 == UInt8(ascii: "\n") })
            #expect(answers.allSatisfy { isOneURL(Array($0.utf8)[...]) })
        }
        #expect(try daemon.stop() == 0)
    }

    /// Lines, of which at most the last one but a few ends the connection.
    private static func chunk(_ random: inout SeededGenerator) -> [GeneratedLine] {
        var lines = [GeneratedLine.valid(&random)]
        while lines.count < chunkSize, lines.last?.outcome != .end { lines.append(.any(&random)) }
        // Nothing after the end may be answered.
        for _ in 0..<2 { lines.append(.valid(&random)) }
        return lines
    }
}

/// One client with the lines that it has sent and that are not answered yet.
private struct Conversation {
    private var client: LineClient
    private var lines: [GeneratedLine] = []

    init(_ daemon: RunningDaemon) throws {
        client = try daemon.connect()
    }

    /// Sends lines in one go.
    ///
    /// - Returns: How many lines they are.
    mutating func send(_ lines: [GeneratedLine]) throws -> Int {
        self.lines = lines
        var bytes: [UInt8] = []
        for line in lines {
            bytes += line.bytes
            bytes.append(UInt8(ascii: "\n"))
        }
        _ = try bytes.withUnsafeBytes { try client.trySend($0) }
        return lines.count
    }

    /// Reads all answers that are due, and connects again if the daemon had to end the connection.
    mutating func readAnswers(_ daemon: RunningDaemon) throws {
        for line in lines {
            guard let answer = try client.readBytes() else { throw failure("no answer", line) }
            let isRight =
                switch line.outcome {
                case .answer(let expected): answer == expected[...]
                case .anyAnswer, .end: isOneURL(answer)
                }
            guard isRight else { throw failure("a wrong answer: \(String(decoding: answer, as: UTF8.self))", line) }
            if line.outcome == .end {
                if let more = try client.readBytes() {
                    throw failure("an answer after the end: \(String(decoding: more, as: UTF8.self))", line)
                }
                client = try daemon.connect()
                return
            }
        }
    }

    private func failure(_ what: String, _ line: GeneratedLine) -> TestFailure {
        TestFailure("\(what); the line was '\(String(decoding: line.bytes, as: UTF8.self))'")
    }
}

/// Whether an answer is a scheme, a colon, and no blank or control character.
private func isOneURL(_ answer: ArraySlice<UInt8>) -> Bool {
    GeneratedLine(classifying: Array(answer))?.outcome == .anyAnswer
}
