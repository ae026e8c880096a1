import Testing
import XCallbackCommands
import XCallbackWire

/// The revision of which each request speaks for itself.
struct StatelessTests {
    private static let version = #""io.modelcontextprotocol/protocolVersion""#
    private static let capabilities = #""io.modelcontextprotocol/clientCapabilities""#

    @Test(arguments: ["server/discover", "tools/list", "tools/call", "resources/list"])
    func anotherRevisionIsRefusedWithTheOneThatIsSupported(method: String) throws {
        var conversation = Conversation()
        for other in ["1900-01-01", "2025-11-25", "2027-01-01", ""] {
            let answer = try conversation.answer(
                to: #"{"jsonrpc":"2.0","id":1,"method":"\#(method)","params":{"_meta":{\#(Self.version):"\#(other)"}}}"#
            )
            #expect(answer["error"]?["code"] == -32022)
            #expect(answer["error"]?["data"] == ["supported": ["2026-07-28"], "requested": .string(other)])
        }
    }

    @Test(arguments: [
        "{}", "null", "5", "[]", "{\(version):20260728}", "{\(version):null}", #"{\#(version):"2026-07-28"}"#,
        #"{\#(version):"2026-07-28",\#(capabilities):null}"#, #"{\#(version):"2026-07-28",\#(capabilities):[]}"#,
        "{\(capabilities):{}}",
    ])
    func whatMustBeSaidIsDemanded(meta: String) throws {
        var conversation = Conversation()
        let answer = try conversation.answer(
            to: #"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":\#(meta)}}"#)
        #expect(answer["error"]?["code"] == -32602)
        #expect(answer["id"] == 1)
    }

    @Test func itTellsWhatItIs() throws {
        var conversation = Conversation()
        let result = try #require(try conversation.answer(to: "1", "server/discover")["result"])
        #expect(result["resultType"] == "complete")
        #expect(result["supportedVersions"] == ["2026-07-28"])
        #expect(result["capabilities"] == ["tools": ["listChanged": .bool(true)]])
        #expect(result["_meta"] == ["io.modelcontextprotocol/serverInfo": Conversation.serverInfo])
        #expect(result["ttlMs"] == 60_000)
        #expect(result["cacheScope"] == "private")
        #expect(result["instructions"]?.text?.isEmpty == false)
    }

    @Test func aListMayBeKept() throws {
        var conversation = Conversation()
        let result = try conversation.list([])
        let members: JSONValue = [
            "resultType": "complete", "_meta": ["io.modelcontextprotocol/serverInfo": Conversation.serverInfo],
            "tools": [], "ttlMs": 60_000, "cacheScope": "private",
        ]
        #expect(result == members)
    }
}
