import Glibc
import TestSupport
import Testing
import XCallbackTesting

/// The daemon with a socket from the real systemd-socket-activate.
@Suite(.blocking)
struct ActivationTests {
    @Test(arguments: [["--fdname=xcallbackd.socket"], []])
    func aRequestStartsTheDaemonAndIsAnswered(options: [String]) throws {
        let activation = try Activation(options)
        let client = try activation.connect()
        expect(try client.ask("notes:/ping"), equals: "xcallback://x-callback-url/success?pong=1")
        expect(try activation.manager.receive()) { $0.contains("STATUS=Serving 2 routes on \(activation.socket), ") }
        let other = try activation.connect()
        expect(try other.ask("notes:/echo?v=1"), equals: "xcallback://x-callback-url/success?v=1")
        #expect(!activation.directory.contains("socket.lock"))
        #expect(try ProcessState(of: activation.process.id).isInherited(descriptor: 3) == false)
        activation.process.send(signal: SIGTERM)
        expect(try activation.process.wait(), equals: 0)
        #expect(activation.directory.contains("socket"))
    }

    @Test func theSocketOfAssistantsStartsTheDaemonToo() throws {
        let other = try TemporaryDirectory()
        let activation = try Activation(
            ["--fdname=xcallbackd-agent.socket"], ["--socket", other.path(of: "socket")], configuration: Self.offering)
        expect(try activation.connect().ask("notes:/offered"), equals: "xcallback://x-callback-url/success?from=agent")
        let client = try LineClient(other.path(of: "socket"))
        expect(try client.ask("notes:/offered"), equals: "xcallback://x-callback-url/success?from=socket")
        activation.process.send(signal: SIGTERM)
        expect(try activation.process.wait(), equals: 0)
        #expect(activation.directory.contains("socket") && !other.contains("socket"))
    }

    private static let offering = """
        schemes: [notes]
        routes: [{ route: notes:/offered, agent: true, respond: { from: "{@origin}" } }]
        """

    static let refusals: [(options: [String], arguments: [String], message: String)] = [
        (["--fdname=other"], [], "a socket named 'other' was passed, expected 'xcallbackd.socket'"),
        (
            ["--fdname=xcallbackd.socket"], ["--socket", "/tmp/other"],
            "was passed, and --socket names '/tmp/other': leave one of them out"
        ),
        (
            ["--fdname=xcallbackd-agent.socket"], ["--agent-socket", "/tmp/other"],
            "was passed, and --agent-socket names '/tmp/other': leave one of them out"
        ),
    ]

    @Test(arguments: refusals)
    func aSocketThatCannotBeUsedIsAUsageError(
        options: [String], arguments: [String], message: String
    ) throws {
        let activation = try Activation(options, arguments)
        let client = try activation.connect()
        expect(try activation.process.wait(), equals: 64)
        expect(try activation.log) { $0.contains("xcallbackd: ") }
        expect(try activation.log) { $0.contains(message) }
        expect(try activation.manager.receive()) { $0.contains("STATUS=Not started: ") && $0.contains(message) }
        expect(try client.readLine(), equals: nil)
    }
}
