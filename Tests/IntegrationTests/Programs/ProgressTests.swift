import Glibc
import TestSupport
import Testing
import XCallbackTesting
import XCallbackWire

/// Programs that report how far they are.
@Suite(.blocking, .timeLimit(.minutes(10)))
struct ProgressTests {
    private static let configuration = """
        schemes: [app]
        routes:
          - route: app:/count
            exec: [sh, -c, "for i in 1 2 3; do echo \\"[$i/3] step $i\\" >&2; sleep 0.3; done; echo done"]
            progress: true
          - { route: "app:/silent", exec: [sh, -c, "echo hidden >&2; sleep 0.1"] }
          - { route: "app:/fails", exec: [sh, -c, "printf '50%% half\\rno disk\\n' >&2; exit 4"], progress: true }
          - { route: "app:/million", exec: [sh, -c, "seq 1000000 >&2"], progress: true }
          - { route: "app:/endless", exec: [sh, -c, "while :; do echo more >&2; done"], progress: true, timeout: 2s }
        """
    private let daemon: RunningDaemon

    init() throws {
        daemon = try RunningDaemon(Self.configuration)
        daemon.admitOtherUsers()
    }

    /// Returns all replies to `Open`, or to another method, up to the last one.
    private func replies(
        _ url: String, method: String = "Open", mode: VarlinkCall.Mode = .more, as userID: UInt32? = nil
    ) throws -> [JSONValue] {
        let client = try userID.map { try RouterClient(daemon.socket, as: $0) } ?? RouterClient(daemon.socket)
        try client.send(method, ["url": .string(url)], mode: mode)
        var replies: [JSONValue] = []
        repeat { replies.append(try client.reply()) } while replies.last?["outcome"] == nil
        // Nothing follows the answer: the next reply is that to the next call.
        #expect(try client.call("Status")["service"] != nil)
        return replies
    }

    @Test(arguments: ["Open", "Call"])
    func eachLineOfStandardErrorIsAReply(method: String) throws {
        let replies = try replies("app:/count", method: method)
        let texts = (1...3).map { number -> JSONValue in
            let done = JSONValue.number(JSONNumber(number))
            return ["progress": ["text": .string("step \(number)"), "done": done, "total": .number(JSONNumber(3))]]
        }
        #expect(Array(replies.dropLast()) == texts)
        #expect(replies.last?["answer"]?.text == "xcallback://x-callback-url/success?result=done")
    }

    @Test func theLastLineIsStillTheCause() throws {
        #expect(try replies("app:/fails").last?["cause"]?.text == "no disk")
    }

    @Test func onlyWhoAsksAndMayHaveItGetsProgress() throws {
        #expect(try replies("app:/silent").count == 1)
        #expect(try replies("app:/count", mode: .once).count == 1)
        if geteuid() == 0 { #expect(try replies("app:/count", as: 65_534).count == 1) }
        expect(try daemon.connect().ask("app:/count"), equals: "xcallback://x-callback-url/success?result=done")
    }

    @Test func aMillionLinesAreAFewReplies() throws {
        let start = ContinuousClock.now
        let replies = try replies("app:/million")
        #expect(replies.count <= 3 + 4 * Int((ContinuousClock.now - start) / .seconds(1)))
        try RouterClient(daemon.socket).expectNothingIsHeld()
    }

    @Test func aClientThatDoesNotReadKeepsItsTimeLimit() throws {
        let client = try RouterClient(daemon.socket)
        try client.send("Open", ["url": "app:/endless"], mode: .more)
        #expect(try replies("app:/count").count == 4)
        var last: JSONValue
        repeat { last = try client.reply() } while last["outcome"] == nil
        #expect(last["code"]?.integer == 504)
        try client.expectNothingIsHeld()
    }
}
