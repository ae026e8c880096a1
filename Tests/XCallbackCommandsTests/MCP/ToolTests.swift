import TestSupport
import Testing
import XCallbackAdministration
import XCallbackClient
import XCallbackCommands
import XCallbackWire

/// What a client is told of a tool, besides its schemas.
struct ToolTests {
    @Test func aRouteThatIsNotOfferedIsNoTool() throws {
        #expect(Tool(Client.CatalogueRoute(reading: try json(#"{"route":"notes:/add","agent":null}"#))) == nil)
        #expect(Tool(Client.CatalogueRoute(reading: try json(#"{"route":"notes:/add"}"#))) == nil)
    }

    @Test(arguments: [
        (#","title":"Add","description":"Adds a line.""#, "Adds a line."),
        (#","title":"Add","description":null"#, "Add"),
        (#","title":null"#, "notes:/add"),
        (#","title":"Add","asks":true"#, "Add\n\nThe user is asked before this runs."),
        (#","description":"Adds.","asks":true"#, "Adds.\n\nThe user is asked before this runs."),
        (#","description":"Adds.","policies":["confirm"],"asks":false"#, "Adds."),
    ])
    func aToolIsDescribedByTheBestThereIs(members: String, text: String) throws {
        let tool = try Tool.sample(members)
        #expect(tool.description["description"] == .string(text))
        #expect(tool.description["title"] == (members.contains("Add\"") ? "Add" : nil))
        #expect(tool.description["name"] == "notes_add")
    }

    @Test(arguments: [
        (#"{"kind":"read","idempotent":true,"open_world":false}"#, [true, false, true, false]),
        (#"{"kind":"add","idempotent":false,"open_world":true}"#, [false, false, false, true]),
        (#"{"kind":"change","idempotent":true,"open_world":true}"#, [false, true, true, true]),
        (#"{"kind":"change"}"#, [false, true, false, true]),
    ])
    func annotationsAreTheEffect(effect: String, hints: [Bool]) throws {
        let names = ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"]
        let expected = zip(names, hints).map { JSONValue.Member($0, .bool($1)) }
        expect(try Tool.sample(#","effect":\#(effect)"#).description["annotations"], equals: .object(expected))
    }

    @Test(arguments: ["", #","returns":null"#])
    func aToolThatPromisesNothingHasNoOutputSchema(members: String) throws {
        expect(try Tool.sample(members).description["outputSchema"], equals: nil)
    }

    @Test func aToolThatReturnsNothingSaysSo() throws {
        expect(
            try Tool.sample(#","returns":[]"#).description["outputSchema"],
            equals: ["type": "object", "properties": [:]])
    }
}
