import TestSupport
import Testing
import XCallbackCommands
import XCallbackURL
import XCallbackWire

/// The arguments of a call as the parameters of a request.
struct ToolArgumentTests {
    static let written: [(type: String, argument: String, texts: [String?])] = [
        ("int", "7", ["7"]),
        ("int", "-0", ["0"]),
        ("int", "1.0", ["1"]),
        ("int", "1e3", ["1000"]),
        ("int", "1200e-2", ["12"]),
        ("int", "9223372036854775807", ["9223372036854775807"]),
        // Beyond 2⁵³ such a number is not exact.
        ("int", "-9223372036854775808.0", ["-9223372036854775808.0"]),
        ("int", "9223372036854775808", ["9223372036854775808"]),
        // What is no whole number is the daemon's to refuse.
        ("int", "1.5", ["1.5"]),
        ("int", "1e-1", ["1e-1"]),
        ("int", "1e999999999999999999999", ["1e999999999999999999999"]),
        ("int", #""7""#, ["7"]),
        ("number", "1.0", ["1.0"]),
        ("number", "-1e-7", ["-1e-7"]),
        ("bool", "true", ["true"]),
        ("string", #""a,b&c=\u0000 é""#, ["a,b&c=\u{0} é"]),
        ("string", "5", ["5"]),
        ("list", "[]", [nil]),
        ("list", #"["a,b","","a,b"]"#, ["a,b", "", "a,b"]),
        ("list", #"[1.0,true,"x"]"#, ["1.0", "true", "x"]),
        ("list", #""a,b""#, ["a,b"]),
        ("list", #""[\"a,b\",1]""#, ["a,b", "1"]),
        ("list", #""[draft""#, ["[draft"]),
        ("string", #""[\"a\"]""#, [#"["a"]"#]),
        ("json", #"{"a":[1,true,null]}"#, [#"{"a":[1,true,null]}"#]),
        ("json", #""{\"a\": 1}""#, [#"{"a": 1}"#]),
        ("json", "null", []),
    ]

    private static func declaration(of type: String) -> String {
        type == "list" ? #""type":"list","of":"string""# : #""type":"\#(type)""#
    }

    @Test(arguments: written)
    func aScalarIsWrittenAsItsText(type: String, argument: String, texts: [String?]) throws {
        let tool = try Tool.taking(Self.declaration(of: type))
        let items = try tool.parameters(of: try json(#"{"value":\#(argument)}"#))
        #expect(items.map(\.value) == texts)
        #expect(items.allSatisfy { $0.name == "value" })
    }

    @Test func elementsOfAListAreWrittenAsTheirType() throws {
        let tool = try Tool.taking(#""type":"list","of":"int""#)
        expect(try tool.parameters(of: try json(#"{"value":[1.0,2e1]}"#)).map(\.value), equals: ["1", "20"])
    }

    @Test(arguments: [
        ("string", "{}", "must not be an object"),
        ("list", "{}", "must not be an object"),
        ("list", #""[a, b]""#, "must be a list: this text looks like one, but is not JSON"),
        ("list", #""[{}]""#, "must be a list of strings, numbers or Booleans"),
        ("list", "[{}]", "must be a list of strings, numbers or Booleans"),
        ("list", "[[]]", "must be a list of strings, numbers or Booleans"),
        ("list", "[null]", "must be a list of strings, numbers or Booleans"),
        ("string", "[]", "must be one value, not a list"),
        ("string", #"["a"]"#, "must be one value, not a list"),
    ])
    func whatNoURLHasIsRefused(type: String, argument: String, fault: String) throws {
        let tool = try Tool.taking(Self.declaration(of: type))
        let outcome = #expect(throws: Outcome.self) { try tool.parameters(of: try json(#"{"value":\#(argument)}"#)) }
        #expect(outcome == .error(code: 422, message: "Parameter 'value' \(fault)."))
    }

    @Test(arguments: [
        "other", "Value", "value.0", "x-success", "x-source", "", "value ",
        // Strings that are equal, though their bytes are not, are not the same name.
        "cafe\u{301}",
    ])
    func whatIsNotDeclaredIsRefused(name: String) throws {
        let tool = try Tool.sample(
            #","input":[{"name":"value","type":"string","required":false},{"name":"café","type":"string"}]"#)
        for value: JSONValue in ["a", .null, [:]] {
            let outcome = #expect(throws: Outcome.self) { try tool.parameters(of: .object([.init(name, value)])) }
            #expect(outcome == .error(code: 422, message: "This action has no parameter '\(name)'."))
        }
    }

    @Test func argumentsKeepTheirOrder() throws {
        let names = ["b", "a", "c"]
        let input = names.map { #"{"name":"\#($0)","type":"list","of":"string"}"# }.joined(separator: ",")
        let tool = try Tool.sample(#","input":[\#(input)]"#)
        let items = try tool.parameters(of: try json(#"{"c":["1","2"],"a":[],"b":"3"}"#))
        #expect(items.map(\.name) == ["c", "c", "a", "b"])
        #expect(items.map(\.value) == ["1", "2", nil, "3"])
    }
}
