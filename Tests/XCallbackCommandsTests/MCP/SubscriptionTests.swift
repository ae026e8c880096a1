import TestSupport
import Testing
import XCallbackCommands
import XCallbackWire

/// `subscriptions/listen`.
struct SubscriptionTests {
    private static let key = "io.modelcontextprotocol/subscriptionId"
    private static let wanted = #""notifications":{"toolsListChanged":true,"resourcesListChanged":true},"#

    private static func changed(_ id: JSONValue) -> JSONValue {
        [
            "jsonrpc": "2.0", "method": "notifications/tools/list_changed", "params": ["_meta": [key: id]],
        ]
    }

    @Test(arguments: [
        (#"{"toolsListChanged":true}"#, true),
        (#"{"toolsListChanged":true,"promptsListChanged":true,"resourceSubscriptions":["file:///a"]}"#, true),
        (#"{"toolsListChanged":false}"#, false),
        (#"{"toolsListChanged":"true"}"#, false),
        (#"{"promptsListChanged":true}"#, false),
        ("{}", false),
    ])
    func itIsAcknowledgedFirst(filter: String, isHonored: Bool) throws {
        var conversation = Conversation()
        let first = try conversation.answer(to: "\"s\"", "subscriptions/listen", #""notifications":\#(filter),"#)
        let honored: JSONValue = isHonored ? ["toolsListChanged": .bool(true)] : [:]
        let parameters: JSONValue = ["_meta": [Self.key: "s"], "notifications": honored]
        #expect(
            first == ["jsonrpc": "2.0", "method": "notifications/subscriptions/acknowledged", "params": parameters])
        #expect(conversation.server.wantsChanges == isHonored)
        #expect(conversation.server.listChanged() == (isHonored ? [Self.changed("s")] : []))
    }

    @Test(arguments: ["", #""notifications":null,"#, #""notifications":[],"#, #""notifications":true,"#])
    func withoutAFilterItIsRefused(parameters: String) throws {
        var conversation = Conversation()
        expect(try conversation.answer(to: "1", "subscriptions/listen", parameters)["error"]?["code"], equals: -32602)
        #expect(!conversation.server.wantsChanges)
        expect(try conversation.answer(to: "1", "server/discover")["error"], equals: nil)
    }

    @Test func eachIsReportedUnderItsOwnId() throws {
        var conversation = Conversation(afterHandshake: true)
        _ = conversation.request("1", "subscriptions/listen", Self.wanted)
        _ = conversation.request("\"1\"", "subscriptions/listen", Self.wanted)
        let plain: JSONValue = ["jsonrpc": "2.0", "method": "notifications/tools/list_changed"]
        #expect(conversation.server.listChanged() == [plain, Self.changed(1), Self.changed("1")])
        expect(try conversation.answer(to: "1", "server/discover")["error"]?["code"], equals: -32600)
    }

    @Test func allOfThemEndWithAResult() throws {
        var conversation = Conversation()
        _ = conversation.request("1", "subscriptions/listen", Self.wanted)
        _ = conversation.request("2", "subscriptions/listen", #""notifications":{},"#)
        let ends = [JSONValue.number(1), .number(2)].map { id -> JSONValue in
            let meta: JSONValue = ["io.modelcontextprotocol/serverInfo": Conversation.serverInfo, Self.key: id]
            return ["jsonrpc": "2.0", "id": id, "result": ["resultType": "complete", "_meta": meta]]
        }
        #expect(conversation.server.end() == ends)
        #expect(conversation.server.listChanged().isEmpty)
        #expect(conversation.server.end().isEmpty)
    }
}
