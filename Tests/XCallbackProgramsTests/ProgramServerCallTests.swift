import Testing
import XCallbackEventLoop
import XCallbackLinux
import XCallbackPrograms
import XCallbackWire

/// What the router and its program server read from each other.
struct ProgramServerCallTests {
    private static let whole: JSONValue = [
        "route": "app:/a", "content": "1f", "files": ["/etc/a.yaml"], "stage": "policy", "position": .number(1),
    ]

    /// Reads the parameters of a call as the program server does.
    private func read(_ parameters: JSONValue) throws -> ProgramServerCall {
        let text: JSONValue = [
            "method": "org.xcallback.ProgramServer.Run", "more": .bool(true), "parameters": parameters,
        ]
        var (session, message, output) = (ProgramServerInterface.session, JSONDocument(), ByteBuffer())
        let bytes = text.bytes + [0]
        let step = session.next(
            in: bytes.span, from: 0, of: ProgramServerInterface.service, &message, into: &output)
        guard case .call(let call, next: bytes.count) = step else {
            throw VarlinkError(String(decoding: output.contents, as: UTF8.self))
        }
        return try ProgramServerCall(VarlinkObject(call, in: message))
    }

    @Test func aCallNamesAProgramAndWhatTheRouterHasLoaded() throws {
        let call = try read(Self.whole)
        #expect(call.kind == .policy && call.position == 1 && call.request == nil)
        #expect(call.route == LoadedRoute(identity: "app:/a", content: 0x1F, files: ["/etc/a.yaml"]))
    }

    @Test(arguments: ["route", "content", "files", "stage", "position"])
    func aCallLacksNothing(name: String) {
        let members = (Self.whole.members ?? []).filter { $0.name != name }
        #expect(throws: VarlinkError.invalidParameter(name)) { try read(.object(members)) }
    }

    @Test func anUnknownMemberRejectsACall() {
        let members = (Self.whole.members ?? []) + [.init("user", "root")]
        #expect(throws: VarlinkError.invalidParameter("user")) { try read(.object(members)) }
    }

    @Test(arguments: [SpawnedProcess.Ending.exited(status: 3), .killed(signal: 9)])
    func theLastReplyIsTheResult(ending: SpawnedProcess.Ending) {
        var result = ChildResult(ending: ending, output: [0, 255], exceededOutput: true, errors: [10])
        result.unit = "a.service"
        #expect(ChildResult(result.json) == result)
    }

    @Test(arguments: [
        "{}", #"{"status":0}"#, #"{"status":0,"signal":9,"output":"","exceeded":false,"errors":""}"#,
        #"{"status":0,"output":"?","exceeded":false,"errors":""}"#,
    ])
    func anotherReplyIsNoResult(text: String) throws {
        let reply = try JSONValue(parsing: Array(text.utf8).span, maximumSize: 1000)
        #expect(ChildResult(reply) == nil)
    }
}
