import Glibc
import Testing
import XCallbackTesting

/// Many concurrent clients.
@Suite(.blocking, .serialized, .timeLimit(.minutes(10)))
struct LoadTests {
    private static let configuration =
        StartStopTests.configuration + "limits: { connections: 23000, first-byte: 5m }\n"

    @Test
    func aThousandClientsGetTheirOwnAnswersOnly() throws {
        let clientCount = 1000
        let requestCount = 100
        try DescriptorLimit.raise(to: clientCount + 500)
        let daemon = try RunningDaemon(Self.configuration)
        let crowd = try Crowd(daemon.socket)
        for _ in 0..<clientCount { try crowd.connect() }
        // A few lines at a time, so that the clients take turns.
        for start in stride(from: 0, to: requestCount, by: 20) {
            for client in 0..<clientCount {
                let lines = (start..<start + 20).map { "notes:/echo?v=\(client)-\($0)\n" }
                crowd.send(lines.joined().utf8, on: client)
            }
        }
        var answerCounts = [Int](repeating: 0, count: clientCount)
        var total = 0
        while total < clientCount * requestCount {
            try crowd.wait { event in
                guard case .line(let client, let line) = event else { throw TestFailure("a client was closed") }
                try expectEcho("\(client)-\(answerCounts[client])", line)
                answerCounts[client] += 1
                total += 1
            }
        }
        #expect(answerCounts.allSatisfy { $0 == requestCount })
        #expect(try daemon.stop() == 0)
    }

    @Test
    func tenThousandIdleClientsAreInNobodysWay() throws {
        let idleCount = 10_000
        try DescriptorLimit.raise(to: idleCount + 1000)
        let daemon = try RunningDaemon(Self.configuration)
        let witness = try daemon.connect()
        _ = try witness.ask("notes:/ping")
        let start = try daemon.facts.descriptorCount
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
        #expect(try daemon.facts.descriptorCount == start + idleCount + 50)
        for client in 0..<idleCount { idle.close(client) }
        for client in 0..<50 { active.close(client) }
        try daemon.ask("notes:/ping", on: witness) { try daemon.facts.descriptorCount <= start }
        #expect(try daemon.facts.descriptorCount == start)
        #expect(try daemon.stop() == 0)
    }

    @Test
    func aStopUnderLoadEndsEveryConnectionWithWholeAnswers() throws {
        let daemon = try RunningDaemon(Self.configuration)
        let crowd = try Crowd(daemon.socket)
        let clientCount = 20
        var sentCounts = [Int](repeating: 0, count: clientCount)
        func send(_ client: Int) {
            crowd.send("notes:/echo?v=\(client)-\(sentCounts[client])\n".utf8, on: client)
            sentCounts[client] += 1
        }
        for client in 0..<clientCount {
            try crowd.connect()
            for _ in 0..<50 { send(client) }
        }
        var answerCounts = [Int](repeating: 0, count: clientCount)
        var endCount = 0
        var total = 0
        var stop = ContinuousClock.now
        while endCount < clientCount {
            try crowd.wait { event in
                switch event {
                case .line(let client, let line):
                    try expectEcho("\(client)-\(answerCounts[client])", line)
                    answerCounts[client] += 1
                    total += 1
                    if total == 20_000 {
                        stop = .now
                        daemon.process.send(signal: SIGTERM)
                    }
                    send(client)
                case .end(let client, let rest):
                    #expect(rest.isEmpty)
                    #expect(answerCounts[client] > 0)
                    endCount += 1
                case .programEnd: break
                }
            }
        }
        #expect(try daemon.process.wait() == 0)
        #expect(ContinuousClock.now - stop < .seconds(30))
        #expect(total >= 20_000)
    }
}

/// Throws if a line is not the echo route's answer to a value; one expectation per line would be too slow.
func expectEcho(_ value: String, _ line: ArraySlice<UInt8>) throws {
    let answer = "xcallback://x-callback-url/success?v=\(value)"
    if !answer.utf8.elementsEqual(line) {
        throw TestFailure("instead of '\(answer)' came '\(String(decoding: line, as: UTF8.self))'")
    }
}
