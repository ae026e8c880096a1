import Glibc
import XCallbackTesting

/// Clients that send requests repeatedly, and report each request without exactly one answer.
///
/// One half stays connected as long as possible; the other half connects for each request.
final class ReconnectingCrowd {
    private struct Member {
        /// The last request; nil once answered.
        var number: Int?
        /// The current number of this client in the crowd.
        var client: Int
    }

    private let crowd: Crowd
    private var members: [Member] = []
    private var owners: [Int: Int] = [:]
    private var lastNumber = 0
    private var isEnding = false
    /// The number of answers.
    private(set) var answerCount = 0
    /// The violations.
    private(set) var faults: [String] = []

    init(_ path: String, count: Int) throws {
        crowd = try Crowd(path)
        for _ in 0..<count {
            members.append(Member(number: nil, client: -1))
            try connect(members.count - 1)
        }
    }

    /// Sends requests during a number of restarts.
    ///
    /// - Parameters:
    ///   - site: The place of the daemons, whose socket stays.
    ///   - count: The number of restarts.
    ///   - pause: The minimum number of answers between two restarts.
    /// - Throws: ``TestFailure`` if a daemon fails, or nothing happens for too long.
    func run(on site: DaemonSite, restarting count: Int, pause: Int) throws {
        var daemon = try site.start()
        var (restartCount, nextRestart) = (0, pause)
        for member in members.indices { try ask(member) }
        while restartCount < count || members.contains(where: { $0.number != nil }) {
            try crowd.wait { event in
                switch event {
                case .line(let client, let line): try take(line, of: client)
                case .end(let client, let rest): try end(client, rest)
                case .programEnd:
                    if try daemon.process.wait() != 0 { faults.append("the daemon has failed: \(try daemon.log)") }
                    daemon = try site.start()
                    (restartCount, nextRestart) = (restartCount + 1, answerCount + pause)
                    isEnding = restartCount == count
                }
            }
            if answerCount >= nextRestart, restartCount < count {
                nextRestart = .max
                crowd.watch(daemon.process)
                daemon.process.send(signal: SIGTERM)
            }
        }
        try daemon.stop()
    }

    private func connect(_ member: Int) throws {
        members[member].client = try crowd.connect()
        owners[members[member].client] = member
    }

    private func ask(_ member: Int) throws {
        lastNumber += 1
        members[member].number = lastNumber
        try send(member)
    }

    private func send(_ member: Int) throws {
        let number = members[member].number ?? 0
        // Some requests wait for a program.
        let path = number % 50 == 0 ? "n:/slow/\(number)" : "n:/echo?v=\(number)"
        crowd.send("\(path)\n".utf8, on: members[member].client)
    }

    private func take(_ line: ArraySlice<UInt8>, of client: Int) throws {
        guard let member = owners[client], let number = members[member].number else {
            return faults.append("an answer that nobody has asked for")
        }
        let name = number % 50 == 0 ? "result" : "v"
        let text = String(decoding: line, as: UTF8.self)
        if text != "xcallback://x-callback-url/success?\(name)=\(number)" { faults.append(text) }
        answerCount += 1
        members[member].number = nil
        if member % 2 == 0 {
            owners[client] = nil
            crowd.close(client)
            try connect(member)
        }
        if !isEnding { try ask(member) }
    }

    /// Reconnects a client after the end of its connection, and repeats its request if it was not accepted.
    private func end(_ client: Int, _ rest: [UInt8]) throws {
        guard let member = owners.removeValue(forKey: client) else { return }
        if !rest.isEmpty { faults.append("half an answer") }
        if members[member].number != nil, crowd.unsentCount(of: client) == 0 {
            faults.append("a request without an answer")
            members[member].number = nil
        }
        if members[member].number != nil, member % 2 == 0 { faults.append("one that has just connected could not ask") }
        try connect(member)
        if members[member].number != nil { try send(member) } else if !isEnding { try ask(member) }
    }
}
