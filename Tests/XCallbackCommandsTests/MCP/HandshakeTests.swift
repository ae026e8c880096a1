import TestSupport
import Testing
import XCallbackCommands
import XCallbackWire

/// The revisions that begin with `initialize`.
struct HandshakeTests {
    @Test(arguments: [
        (#""2025-06-18""#, "2025-06-18"),
        (#""2025-11-25""#, "2025-11-25"),
        (#""2024-11-05""#, "2024-11-05"),
        (#""2025-03-26""#, "2025-03-26"),
        (#""2026-07-28""#, "2025-11-25"),
        (#""2099-01-01""#, "2025-11-25"),
        (#""""#, "2025-11-25"),
        ("5", "2025-11-25"),
        ("null", "2025-11-25"),
    ])
    func aHandshakeSettlesTheRevision(asked: String, revision: String) throws {
        var conversation = Conversation()
        let answer = try conversation.answer(
            to: #"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":\#(asked)}}"#)
        let result = try #require(answer["result"])
        #expect(result["protocolVersion"] == .string(revision))
        #expect(result["serverInfo"] == Conversation.serverInfo)
        #expect(result["capabilities"] == ["tools": ["listChanged": .bool(true)]])
        #expect(result["instructions"]?.text?.contains("cancelled") == true)
        #expect(result["resultType"] == nil && result["_meta"] == nil)
    }

    /// Revision 2025-03-26 has arrays of messages; each request in one is answered in a line of its own.
    @Test(arguments: ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"])
    func anArrayOfMessagesIsReadWhereTheRevisionHasThem(revision: String) throws {
        var conversation = Conversation()
        _ = conversation.receive(
            #"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"\#(revision)"}}"#)
        let steps = conversation.receive(
            #"[{"jsonrpc":"2.0","method":"notifications/initialized"},{"jsonrpc":"2.0","id":2,"method":"ping"},7]"#)
        let answers = steps.compactMap { step in if case .send(let message) = step { message } else { nil } }
        #expect(conversation.server.wantsChanges == (revision == "2025-03-26"))
        guard revision == "2025-03-26" else {
            #expect(answers.map { $0["error"]?["code"] } == [-32600])
            return
        }
        #expect(answers.count == 2 && answers[0] == ["jsonrpc": "2.0", "id": 2, "result": [:]])
        #expect(answers.last?["error"]?["code"] == -32600 && answers.last?["id"] == .null)
        expect(try conversation.answer(to: "[]")["error"]?["code"], equals: -32600)
    }

    @Test(arguments: ["tools/list", "tools/call", "resources/list", "server/discover"])
    func nothingIsServedBeforeAHandshake(method: String) throws {
        var conversation = Conversation()
        let answer = try conversation.answer(to: #"{"jsonrpc":"2.0","id":1,"method":"\#(method)"}"#)
        #expect(answer["error"]?["code"] == -32602)
        #expect(answer["error"]?["message"]?.text?.contains("io.modelcontextprotocol/protocolVersion") == true)
    }

    @Test(arguments: [
        "resources/list", "prompts/get", "server/discover", "subscriptions/listen", "logging/setLevel", "", "Ping",
        "notifications/initialized",
    ])
    func anUnknownMethodIsRefused(method: String) throws {
        var conversation = Conversation(afterHandshake: true)
        let answer = try conversation.answer(to: #"{"jsonrpc":"2.0","id":1,"method":"\#(method)"}"#)
        #expect(answer["error"]?["code"] == -32601)
        #expect(answer["id"] == 1)
    }

    @Test func changesAreReportedOnceTheHandshakeIsOver() throws {
        var conversation = Conversation()
        _ = conversation.receive(#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#)
        #expect(!conversation.server.wantsChanges)
        _ = try conversation.answer(to: #"{"jsonrpc":"2.0","id":1,"method":"initialize"}"#)
        #expect(!conversation.server.wantsChanges && conversation.server.listChanged().isEmpty)
        _ = conversation.receive(#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#)
        #expect(conversation.server.wantsChanges)
        #expect(
            conversation.server.listChanged()
                == [["jsonrpc": "2.0", "method": "notifications/tools/list_changed"]])
        #expect(conversation.server.end().isEmpty)
    }

    @Test func bothErasAreServedSideBySide() throws {
        var conversation = Conversation(afterHandshake: true)
        expect(try conversation.answer(to: "1", "server/discover")["result"]?["resultType"], equals: "complete")
        expect(try conversation.answer(to: "1", "ping")["error"]?["code"], equals: -32601)
        let name = #"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add"}}"#
        guard case .call(let call)? = conversation.receive(name).first else {
            return #expect(Bool(false), "no call")
        }
        let answer = conversation.end(call, with: .cancel)
        #expect(answer?["result"]?["resultType"] == nil)
        #expect(answer?["result"]?["isError"] == .bool(true))
    }
}
