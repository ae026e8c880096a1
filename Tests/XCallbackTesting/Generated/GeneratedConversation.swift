/// One client with its sent lines that are not answered yet.
package struct GeneratedConversation {
    private static let chunkSize = 400

    private let daemon: RunningDaemon
    private var client: LineClient
    private var lines: [GeneratedLine] = []

    /// Connects a client.
    package init(with daemon: RunningDaemon) throws {
        self.daemon = daemon
        client = try daemon.connect()
    }

    /// Sends lines at once; at most one of them, among the last few, ends the connection.
    ///
    /// - Returns: The number of lines.
    package mutating func sendLines(_ random: inout SeededGenerator) throws -> Int {
        lines = [.valid(&random)]
        while lines.count < Self.chunkSize, lines.last?.outcome != .end { lines.append(.any(&random)) }
        // Lines after the end must not be answered.
        for _ in 0..<2 { lines.append(.valid(&random)) }
        var bytes: [UInt8] = []
        for line in lines {
            bytes += line.bytes
            bytes.append(UInt8(ascii: "\n"))
        }
        _ = try bytes.withUnsafeBytes { try client.trySend($0) }
        return lines.count
    }

    /// Reads all expected answers, and reconnects if the daemon had to close the connection.
    ///
    /// - Throws: ``TestFailure`` if an answer differs from the expected one.
    package mutating func readAnswers() throws {
        for line in lines {
            guard let answer = try client.readBytes() else { throw failure("no answer", line) }
            let isRight =
                switch line.outcome {
                case .answer(let expected): answer == expected[...]
                case .anyAnswer, .end: Self.isOneURL(answer)
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

    /// Whether an answer is a scheme and a colon, without blanks and control characters.
    package static func isOneURL(_ answer: ArraySlice<UInt8>) -> Bool {
        GeneratedLine(classifying: Array(answer))?.outcome == .anyAnswer
    }
}
