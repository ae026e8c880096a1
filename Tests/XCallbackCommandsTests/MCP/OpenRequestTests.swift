import TestSupport
import Testing
import XCallbackCommands
import XCallbackTesting
import XCallbackWire

/// What becomes of requests between their coming and their answer.
struct OpenRequestTests {
    private static let success = Outcome.success(["id": 7])

    @Test func aCallIsAnsweredOnce() throws {
        var conversation = Conversation()
        let call = try conversation.call("1", #""arguments":{"text":"a"},"#)
        #expect(call.name == "add")
        #expect(call.arguments == ["text": "a"])
        let result: JSONValue = [
            "resultType": "complete", "_meta": ["io.modelcontextprotocol/serverInfo": Conversation.serverInfo],
            "content": [["type": "text", "text": #"{"id":7}"#]], "structuredContent": ["id": 7],
            "isError": .bool(false),
        ]
        #expect(
            conversation.end(call, with: Self.success) == ["jsonrpc": "2.0", "id": 1, "result": result])
        #expect(conversation.end(call, with: Self.success) == nil)
        #expect(conversation.server.answer(to: call.ticket, with: ProtocolError(.internalError, "no")) == nil)
    }

    @Test(arguments: [
        "", #""name":5,"#, #""name":null,"#, #""name":"add","arguments":[],"#, #""name":"add","arguments":"x","#,
    ])
    func aCallWithoutAToolOrWithOtherArgumentsIsRefused(parameters: String) throws {
        var conversation = Conversation()
        expect(try conversation.answer(to: "1", "tools/call", parameters)["error"]?["code"], equals: -32602)
        // The id is free again.
        expect(try conversation.call("1").arguments, equals: [:])
    }

    @Test(arguments: ["tools/call", "tools/list", "server/discover", "nothing", "initialize", "subscriptions/listen"])
    func anIdThatIsOpenIsRefused(method: String) throws {
        var conversation = Conversation()
        let call = try conversation.call("1")
        expect(try conversation.answer(to: "1", method, #""name":"add","#)["error"]?["code"], equals: -32600)
        _ = try conversation.call(#""1""#)
        #expect(conversation.end(call, with: Self.success)?["id"] == 1)
        _ = try conversation.call("1")
    }

    @Test func whatIsCancelledIsNeverAnswered() throws {
        var conversation = Conversation()
        let call = try conversation.call("1")
        guard case .cancel(let ticket)? = conversation.cancel("1").first, ticket.id == .number(1) else {
            return #expect(Bool(false), "not cancelled")
        }
        #expect(conversation.cancel("1").isEmpty)
        #expect(conversation.end(call, with: Self.success) == nil)
        #expect(conversation.server.progress(of: call, after: .seconds(10)) == nil)

        guard case .list(let list)? = conversation.request("2", "tools/list").first else {
            return #expect(Bool(false), "no list")
        }
        _ = conversation.cancel("2")
        #expect(conversation.server.list(list, among: []) == nil)

        // Nor is the next request with its id.
        let next = try conversation.call("1")
        #expect(conversation.end(call, with: Self.success) == nil)
        #expect(conversation.end(next, with: Self.success)?["id"] == 1)
        #expect(conversation.server.answer(to: list.ticket, with: ProtocolError(.internalError, "no")) == nil)
    }

    @Test(arguments: [("5", true), (#""a""#, true), ("null", false), ("1.5", false), ("{}", false)])
    func progressIsReportedUnderTheTokenOfTheClient(token: String, isToken: Bool) throws {
        var conversation = Conversation(afterHandshake: true)
        let call = try conversation.handshakeCall("1", #""_meta":{"progressToken":\#(token)},"#)
        #expect(call.wantsProgress == isToken)
        let message = conversation.server.progress(of: call, after: .milliseconds(2_500), "3 of 10")
        guard isToken else { return #expect(message == nil) }
        let parameters: JSONValue = [
            "progressToken": try json(token), "progress": .number(JSONNumber(seconds: .milliseconds(2_500))),
            "message": "3 of 10",
        ]
        #expect(message == ["jsonrpc": "2.0", "method": "notifications/progress", "params": parameters])
    }

    static let names: [(info: String, source: String?)] = [
        (#"{"name":"claude"}"#, "claude"),
        (#"{"name":"Ada's editor ✓"}"#, "Ada's editor ✓"),
        (#"{"name":"a\u0000\n\u001b[31mb\u007f\u0085"}"#, "a[31mb"),
        (#"{"name":"a\u202eb\u2066c\u200bd\u2028e\u2029\ue000"}"#, "abcde"),
        (#"{"name":"\n"}"#, nil),
        (#""claude""#, nil),
        (#"{"name":"\#(String(repeating: "é", count: 65))"}"#, String(repeating: "é", count: 64)),
        (#"{"name":"\#(String(repeating: "\u{301}", count: 65))"}"#, String(repeating: "\u{301}", count: 64)),
    ]

    @Test(arguments: names)
    func theClientsNameIsReportedAsFarAsItIsPlain(info: String, source: String?) throws {
        var conversation = Conversation()
        let meta = Conversation.meta.dropLast() + #","io.modelcontextprotocol/clientInfo":\#(info)}"#
        let line = #"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add","_meta":\#(meta)}}"#
        guard case .call(let call)? = conversation.receive(line).first else { return #expect(Bool(false), "no call") }
        #expect(call.source == source)

        // A request that speaks for itself does not speak for those of a handshake.
        expect(
            try conversation.answer(
                to: #"{"jsonrpc":"2.0","id":2,"method":"initialize","params":{"clientInfo":\#(info)}}"#)["error"],
            equals: nil)
        expect(try conversation.handshakeCall("3", "").source, equals: source)
        expect(try conversation.call("4").source, equals: nil)
    }
}

extension Conversation {
    /// Calls a tool, as it is done after a handshake.
    fileprivate mutating func handshakeCall(_ id: String, _ parameters: String) throws -> ToolServer.ToolCall {
        let line = #"{"jsonrpc":"2.0","id":\#(id),"method":"tools/call","params":{\#(parameters)"name":"add"}}"#
        guard case .call(let call)? = receive(line).first else { throw TestFailure("it is no call") }
        return call
    }
}
