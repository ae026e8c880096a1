import TestSupport
import Testing
import XCallbackCommands
import XCallbackWire

/// What is a message at all.
struct MessageTests {
    static let faults: [(line: String, code: Int, id: JSONValue)] = [
        ("{", -32700, .null),
        ("", -32700, .null),
        (#"{"jsonrpc":"2.0","id":1,"method":"ping"} x"#, -32700, .null),
        (#"{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}"#, -32700, .null),
        (#"{"jsonrpc":"2.0","id":"\ud800","method":"ping"}"#, -32700, .null),
        ("[]", -32600, .null),
        (#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#, -32600, .null),
        ("{}", -32600, .null),
        (#"{"id":1,"method":"ping"}"#, -32600, 1),
        (#"{"jsonrpc":"1.0","id":"a","method":"ping"}"#, -32600, "a"),
        (#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, -32600, .null),
        (#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#, -32600, .null),
        (#"{"jsonrpc":"2.0","id":[1],"method":"ping"}"#, -32600, .null),
        (#"{"jsonrpc":"2.0","id":1}"#, -32600, 1),
        (#"{"jsonrpc":"2.0","id":1,"method":5}"#, -32600, 1),
        (#"{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}"#, -32602, 1),
    ]

    @Test(arguments: faults)
    func aLineThatIsNoRequestIsRefused(line: String, code: Int, id: JSONValue) throws {
        var conversation = Conversation()
        let answer = try conversation.answer(to: line)
        #expect(answer["error"]?["code"] == .number(JSONNumber(code)))
        #expect(answer["id"] == id)
        #expect(answer["jsonrpc"] == "2.0")
        #expect(answer["error"]?["message"]?.text?.isEmpty == false)
    }

    @Test(arguments: [
        #"{"jsonrpc":"2.0","id":1,"result":{}}"#,
        // What would be answered with an error would be answered again by a peer that does the same.
        #"{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"no"}}"#,
        #"{"jsonrpc":"2.0","error":{"code":-32600,"message":"no"}}"#,
        #"{"jsonrpc":"2.0","method":"notifications/other"}"#,
        #"{"jsonrpc":"2.0","method":"notifications/cancelled"}"#,
        #"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#,
        #"{"jsonrpc":"2.0","method":"notifications/initialized","params":null}"#,
        #"{"jsonrpc":"2.0","method":"ping"}"#,
        #"{"jsonrpc":"2.0","method":"tools/call","params":{"name":"add"}}"#,
    ])
    func whatWantsNoAnswerHasNone(line: String) {
        var conversation = Conversation()
        #expect(conversation.receive(line).isEmpty)
    }

    @Test(arguments: [#""a""#, #""""#, "0", "-1", "9223372036854775807", "-9223372036854775808", #""\u0000\n""#])
    func anIdComesBackAsItWas(id: String) throws {
        var conversation = Conversation()
        let answer = try conversation.answer(to: #"{"jsonrpc":"2.0","id":\#(id),"method":"ping"}"#)
        #expect(answer == ["jsonrpc": "2.0", "id": try json(id), "result": [:]])
    }

    @Test func aMessageHasALimit() throws {
        var conversation = Conversation()
        let frame = #"{"jsonrpc":"2.0","id":1,"method":"ping","x":""}"#
        let room = ToolServer.messageLimit - frame.utf8.count
        func line(_ count: Int) -> String { frame.dropLast(2) + String(repeating: "x", count: count) + "\"}" }
        expect(try conversation.answer(to: line(room))["result"], equals: [:])
        let refusal = try conversation.answer(to: line(room + 1))
        #expect(refusal["error"]?["code"] == -32600)
        #expect(refusal == conversation.server.refuseMessage())
    }
}
