import TestSupport
import Testing
import XCallbackCommands
import XCallbackTesting
import XCallbackWire

/// The pages of the list of tools.
struct ListTests {
    private static func tools(_ count: Int) throws -> [Tool] {
        try (0..<count).map { try Tool.sample(named: "tool_\(1000 + $0)") }
    }

    private static func names(_ result: JSONValue) -> [String] {
        result["tools"]?.elements?.compactMap { $0["name"]?.text } ?? []
    }

    @Test(arguments: [0, 1, 99, 100, 101, 200, 250])
    func aPageHasAHundred(count: Int) throws {
        var random = SeededGenerator(seed: UInt64(count))
        let tools = try Self.tools(count)
        var conversation = Conversation()
        var found: [String] = []
        var cursor: String?
        var pageCount = 0
        repeat {
            // The order of the list has nothing to do with that of the routes.
            let page = try conversation.list(tools.shuffled(using: &random), after: cursor)
            let names = Self.names(page)
            #expect(names.count <= 100)
            found += names
            let next = page["nextCursor"]?.text
            if let next { #expect(names.count == 100 && next == names.last) }
            cursor = next
            pageCount += 1
        } while cursor != nil
        #expect(found == tools.map(\.name))
        // No page is empty but that of an empty list.
        #expect(pageCount == max((count + 99) / 100, 1))
    }

    @Test func namesAreInTheOrderOfTheirBytes() throws {
        var conversation = Conversation()
        let tools = try ["b", "_", "B", "a-", "a_", "a", "0"].map { try Tool.sample(named: $0) }
        #expect(Self.names(try conversation.list(tools)) == ["0", "B", "_", "a", "a-", "a_", "b"])
    }

    @Test(arguments: [#""""#, "5", "true", "[]", "{}"])
    func aCursorIsWhatAListHasReported(cursor: String) throws {
        var conversation = Conversation()
        expect(
            try conversation.answer(to: "1", "tools/list", "\"cursor\":\(cursor),")["error"]?["code"], equals: -32602)
        // The id is free again.
        guard case .list? = conversation.request("1", "tools/list", #""cursor":null,"#).first else {
            return #expect(Bool(false), "no list")
        }
    }
}
