import Glibc
import Testing
import XCallbackTesting

/// Many concurrent clients.
@Suite(.blocking, .serialized, .timeLimit(.minutes(10)))
struct LoadTests {
    private static let configuration =
        StartStopTests.configuration + "limits: { connections: 23000, first-byte: 5m }\n"

    @Test
    func tenThousandIdleClientsAreInNobodysWay() throws {
        let idleCount = 10_000
        try DescriptorLimit.raise(to: idleCount + 1000)
        let daemon = try RunningDaemon(Self.configuration)
        let witness = try daemon.connect()
        _ = try witness.ask("notes:/ping")
        let start = try daemon.state.descriptorCount
        let idle = try Crowd(daemon.socket)
        for _ in 0..<idleCount { try idle.connect() }
        let active = try Crowd(daemon.socket)
        for client in 0..<50 {
            try active.connect()
            for number in 0..<200 { active.send("notes:/echo?v=\(client)-\(number)\n".utf8, on: client) }
        }
        var answerCounts = [Int](repeating: 0, count: 50)
        while answerCounts.contains(where: { $0 < 200 }) {
            try active.wait { event in
                guard case .line(let client, let line) = event else { throw TestFailure("a client was closed") }
                try expectEcho("\(client)-\(answerCounts[client])", line)
                answerCounts[client] += 1
            }
        }
        #expect(try daemon.state.descriptorCount == start + idleCount + 50)
        for client in 0..<idleCount { idle.close(client) }
        for client in 0..<50 { active.close(client) }
        try daemon.ask("notes:/ping", on: witness) { try daemon.state.descriptorCount <= start }
        #expect(try daemon.state.descriptorCount == start)
    }
}

/// Throws if a line is not the echo route's answer to a value; one expectation per line would be too slow.
func expectEcho(_ value: String, _ line: ArraySlice<UInt8>) throws {
    let answer = "xcallback://x-callback-url/success?v=\(value)"
    if !answer.utf8.elementsEqual(line) {
        throw TestFailure("instead of '\(answer)' came '\(String(decoding: line, as: UTF8.self))'")
    }
}
