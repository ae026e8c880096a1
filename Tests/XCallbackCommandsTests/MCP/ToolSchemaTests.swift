import TestSupport
import Testing
import XCallbackCommands
import XCallbackWire

/// The schemas of a tool's parameters and items.
struct ToolSchemaTests {
    static let inputs: [(parameter: String, schema: String)] = [
        (#""type":"int""#, #"{"type":"integer"}"#),
        (#""type":"int","min":"0","max":"9""#, #"{"type":"integer","minimum":0,"maximum":9}"#),
        (#""type":"number""#, #"{"type":"number"}"#),
        (#""type":"number","min":"-0.5","max":"1e+300""#, #"{"type":"number","minimum":-0.5}"#),
        (#""type":"bool""#, #"{"type":"boolean"}"#),
        (#""type":"string""#, #"{"type":"string"}"#),
        (#""type":"string","min_length":0,"max_length":40"#, #"{"type":"string","minLength":0,"maxLength":40}"#),
        (#""type":"string","min_length":1999,"max_length":2000"#, #"{"type":"string","minLength":1999}"#),
        (#""type":"string","charset":"a-z_""#, #"{"type":"string","pattern":"^[a-z\\x5f]*$"}"#),
        (
            #""type":"string","charset":"\\]\\^\\\\-""#,
            #"{"type":"string","pattern":"^[\\x5d\\x5e\\x5c\\x2d]*$"}"#
        ),
        (#""type":"string","charset":"\t é-ü😀""#, #"{"type":"string","pattern":"^[\\x09\\x20é-ü😀]*$"}"#),
        (#""type":"json""#, #"{"type":"string","description":"The text is JSON."}"#),
        (
            #""type":"json","description":"A point.""#, #"{"type":"string","description":"A point. The text is JSON."}"#
        ),
        (#""type":"enum","values":["low","5",""]"#, #"{"type":"string","enum":["low","5",""]}"#),
        (#""type":"list","of":"int""#, #"{"type":"array","items":{"type":"integer"}}"#),
        (#""type":"list","of":"string""#, #"{"type":"array","items":{"type":"string"}}"#),
        (
            #""type":"list","of":"enum","values":["a","b"]"#,
            #"{"type":"array","items":{"type":"string","enum":["a","b"]}}"#
        ),
        (
            #""type":"list","of":"string","max_length":3"#,
            #"{"type":"array","items":{"type":"string","maxLength":3}}"#
        ),
        // What a daemon of another version may say.
        (#""type":"color""#, #"{"type":"string"}"#),
        (#""type":"list","of":"color""#, #"{"type":"array","items":{"type":"string"}}"#),
        (#""type":"int","min":"few""#, #"{"type":"integer"}"#),
        (#""type":"string","charset":"z-a""#, #"{"type":"string"}"#),
        // A description, and the default as what it is.
        (#""type":"bool","description":"Whether.""#, #"{"type":"boolean","description":"Whether."}"#),
        (#""type":"bool","default":["true"]"#, #"{"type":"boolean","default":true}"#),
        (#""type":"number","default":["007.50"]"#, #"{"type":"number","default":7.5}"#),
        (#""type":"number","default":["-00"]"#, #"{"type":"number","default":-0.0}"#),
        (#""type":"enum","values":["5"],"default":["5"]"#, #"{"type":"string","enum":["5"],"default":"5"}"#),
        (
            #""type":"list","of":"number","default":[]"#,
            #"{"type":"array","items":{"type":"number"},"default":[]}"#
        ),
        (
            #""type":"list","of":"number","default":["1","02"]"#,
            #"{"type":"array","items":{"type":"number"},"default":[1,2.0]}"#
        ),
    ]

    @Test(arguments: inputs)
    func aParameterIsWhatItIsDeclaredAs(parameter: String, schema: String) throws {
        let input = try #require(try Tool.taking(parameter).description["inputSchema"])
        #expect(input["properties"]?["value"] == (try json(schema)))
        #expect(input["required"] == ["value"])
        #expect(input["additionalProperties"] == nil)
    }

    @Test(arguments: [
        (#""type":"string""#, #"{"type":"string","minLength":1}"#),
        (#""type":"string","min_length":0"#, #"{"type":"string","minLength":1}"#),
        (#""type":"string","min_length":3"#, #"{"type":"string","minLength":3}"#),
        (
            #""type":"list","of":"string""#,
            #"{"type":"array","items":{"type":"string","minLength":1},"minItems":1}"#
        ),
        (#""type":"bool""#, #"{"type":"boolean"}"#),
    ])
    func aCaptureIsNeverEmpty(parameter: String, schema: String) throws {
        let tool = try Tool.sample(#","input":[{"name":"value","place":"path","required":false,\#(parameter)}]"#)
        #expect(tool.description["inputSchema"]?["properties"]?["value"] == (try json(schema)))
        #expect(tool.description["inputSchema"]?["required"] == nil)
    }

    @Test(arguments: [
        // How many bytes there may be, and how many digits they have at least and at most.
        (0, 0, 0), (1, 2, 4), (2, 3, 4), (3, 4, 4), (4, 6, 8), (5, 7, 8), (6, 8, 8), (100, 134, 136),
    ])
    func theLengthOfDataIsThatOfItsDigits(bytes: Int, least: Int, most: Int) throws {
        let tool = try Tool.taking(#""type":"data","min_length":\#(bytes),"max_length":\#(bytes)"#)
        let schema = tool.description["inputSchema"]?["properties"]?["value"]
        #expect(schema?["minLength"] == .number(JSONNumber(least)))
        #expect(schema?["maxLength"] == .number(JSONNumber(most)))
    }

    @Test func aLengthBeyondEverythingIsLeftOut() throws {
        let tool = try Tool.taking(#""type":"data","min_length":\#(Int.max),"max_length":\#(Int.max)"#)
        let schema = try #require(tool.description["inputSchema"]?["properties"]?["value"])
        #expect(schema["maxLength"] == nil)
        #expect(schema["minLength"] == nil)
    }

    static let outputs: [(item: String, schema: String)] = [
        (#""type":"int""#, #"{"type":"integer"}"#),
        (#""type":"number","description":"How much.""#, #"{"type":"number","description":"How much."}"#),
        (#""type":"bool""#, #"{"type":"boolean"}"#),
        (#""type":"string""#, #"{"type":"string"}"#),
        (#""type":"enum","values":["a"]"#, #"{"type":"string","enum":["a"]}"#),
        (#""type":"list","of":"int""#, #"{"type":"array","items":{"type":"integer"}}"#),
        (#""type":"json""#, #"{"type":"string","description":"The text is JSON."}"#),
    ]

    @Test(arguments: outputs)
    func anItemIsWhatIsPromised(item: String, schema: String) throws {
        let expected: JSONValue = ["type": "object", "properties": ["value": try json(schema)], "required": ["value"]]
        expect(try Tool.returning(item).description["outputSchema"], equals: expected)
    }

    @Test func anItemWithoutATypeIsNotPromised() throws {
        let description = try Tool.returning(#""type":null"#).description
        #expect(description["outputSchema"] == ["type": "object", "properties": [:]])
    }

    /// The dialects of regular expressions have few escapes in common: those of JSON Schema, of RE2, and of llama.cpp's grammars.
    @Test(arguments: ["string", "date", "url", "uuid", "data"])
    func aPatternHasOnlyEscapesThatAllDialectsRead(type: String) throws {
        let bounds = #""charset":"!-~","schemes":["git+ssh","a-b"]"#
        let input = try Tool.taking(#""type":"\#(type)",\#(bounds)"#).description["inputSchema"]
        let pattern = try #require(input?["properties"]?["value"]?["pattern"]?.text)
        #expect(pattern.hasPrefix("^") && pattern.hasSuffix("$"))
        var rest = pattern[...]
        while let escape = rest.firstIndex(of: "\\") {
            rest = rest[escape...].dropFirst()
            #expect(rest.first == "x" && rest.dropFirst().prefix(2).allSatisfy(\.isHexDigit), "\(pattern)")
        }
    }
}
