import TestSupport
import Testing
import XCallbackCommands
import XCallbackURL
import XCallbackWire

/// The items of an answer as the result of a call.
struct ToolResultTests {
    private static func items(_ values: [String?]) -> QueryItems {
        var items = QueryItems()
        for value in values { items.append("value", value) }
        return items
    }

    static let kept: [(promise: String, values: [String?], value: String)] = [
        ("int", ["7"], "7"),
        ("int", ["-0"], "0"),
        ("int", ["9223372036854775807"], "9223372036854775807"),
        ("number", ["1.50"], "1.50"),
        ("number", ["-00.5e3"], "-500.0"),
        ("bool", ["YES"], "true"),
        ("bool", [nil], "true"),
        ("string", ["7"], #""7""#),
        ("date", ["2026-01-31"], #""2026-01-31""#),
        ("list", [nil], "[]"),
        ("list", ["1", "02", "1"], "[1,2,1]"),
    ]

    private static func promise(_ type: String) -> String {
        type == "list" ? #""type":"list","of":"int""# : #""type":"\#(type)""#
    }

    @Test(arguments: kept)
    func anItemIsOfTheTypeThatIsPromised(promise: String, values: [String?], value: String) throws {
        let tool = try Tool.returning(Self.promise(promise))
        #expect(tool.result(of: Self.items(values)) == .success(["value": try json(value)]))
    }

    static let broken: [(promise: String, values: [String?], text: String)] = [
        ("int", ["x"], #""x""#),
        ("int", ["9223372036854775808"], #""9223372036854775808""#),
        ("int", [nil], "null"),
        ("int", ["1", "2"], #"["1","2"]"#),
        ("number", ["1e999"], #""1e999""#),
        ("bool", ["maybe"], #""maybe""#),
        ("string", [nil], "null"),
        ("date", ["2026-02-30"], #""2026-02-30""#),
        ("list", ["1", nil], #"["1",null]"#),
    ]

    @Test(arguments: broken)
    func aBrokenPromiseIsAnError(promise: String, values: [String?], text: String) throws {
        let outcome = try Tool.returning(Self.promise(promise)).result(of: Self.items(values))
        #expect(outcome == .contractViolation(["value": try json(text)], names: ["value"]))
        #expect(outcome.isError)
    }

    @Test func whatIsNotThereIsABrokenPromise() throws {
        let tool = try Tool.returning(#""type":"int""#)
        #expect(tool.result(of: ["other": "a"]) == .contractViolation(["other": "a"], names: ["value"]))
        let optional = try Tool.sample(#","returns":[{"name":"value","type":"int","required":false}]"#)
        #expect(optional.result(of: ["other": "a"]) == .success(["other": "a"]))
        expect(try Tool.sample(#","returns":[]"#).result(of: QueryItems()), equals: .success([:]))
    }

    @Test(
        arguments: [
            ([], "{}"), (["7"], #"{"value":"7"}"#), ([nil], #"{"value":null}"#),
            (["a", nil], #"{"value":["a",null]}"#),
        ] as [([String?], String)])
    func whatIsNotDeclaredIsText(values: [String?], object: String) throws {
        let expected = Outcome.success(try json(object))
        expect(try Tool.sample().result(of: Self.items(values)), equals: expected)
        expect(try Tool.sample(#","returns":[]"#).result(of: Self.items(values)), equals: expected)
        // A name without a type, as 'respond' promises it, says no more.
        let named = try Tool.sample(#","returns":[{"name":"value","type":null,"required":false}]"#)
        #expect(named.result(of: Self.items(values)) == expected)
    }

    @Test func itemsKeepTheirOrderAndTheirNames() throws {
        var items = QueryItems()
        // The two names are equal strings of different bytes.
        for (name, value) in [("b", "1"), ("caf\u{e9}", "2"), ("cafe\u{301}", "3"), ("b", "4"), ("a", "5")] {
            items.append(name, value)
        }
        guard case .success(let result) = try Tool.sample().result(of: items) else {
            return #expect(Bool(false), "no success")
        }
        let text = "{\"b\":[\"1\",\"4\"],\"caf\u{e9}\":\"2\",\"cafe\u{301}\":\"3\",\"a\":\"5\"}"
        #expect(result.bytes == Array(text.utf8))
    }

    @Test(arguments: [
        (Outcome.error(code: 422, message: "No."), "error: No. (422)"),
        (.cancel, "cancelled: the user answered no, or ended the action while it ran"),
        (.failure("There is no daemon."), "There is no daemon."),
    ])
    func anErrorIsReportedInAText(outcome: Outcome, text: String) throws {
        var conversation = Conversation()
        let call = try conversation.call("1")
        let answer = conversation.end(call, with: outcome)
        let result = try #require(answer?["result"])
        #expect(result["content"] == [["type": "text", "text": .string(text)]])
        #expect(result["isError"] == .bool(true))
        #expect(result["structuredContent"] == nil)
    }

    @Test func theItemsOfABrokenPromiseAreReportedAsText() throws {
        var conversation = Conversation()
        let call = try conversation.call("1")
        let outcome = try Tool.returning(#""type":"int""#).result(of: Self.items(["x"]))
        let answer = conversation.end(call, with: outcome)
        let result = try #require(answer?["result"])
        let text = try #require(result["content"]?.elements?.first?["text"]?.text)
        #expect(text.contains(#"{"value":"x"}"#))
        #expect(text.contains("value"))
        #expect(result["structuredContent"] == nil)
        #expect(result["isError"] == .bool(true))
    }
}
