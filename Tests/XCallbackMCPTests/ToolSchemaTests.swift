import TestSupport
import Testing
import XCallbackMCP
import XCallbackWire

/// The schemas of a tool's parameters and items.
struct ToolSchemaTests {
    private static let integer = #""minimum":-9223372036854775808,"maximum":9223372036854775807"#
    private static let text = #""pattern":"^[^\\u0000]*$""#

    static let inputs: [(parameter: String, schema: String)] = [
        (#""type":"int""#, #"{"type":"integer",\#(integer)}"#),
        (#""type":"int","min":"0","max":"9""#, #"{"type":"integer","minimum":0,"maximum":9}"#),
        (#""type":"number""#, #"{"type":"number"}"#),
        (#""type":"number","min":"-0.5","max":"1e+300""#, #"{"type":"number","minimum":-0.5,"maximum":1e+300}"#),
        (#""type":"bool""#, #"{"type":"boolean"}"#),
        (#""type":"string""#, #"{"type":"string",\#(text)}"#),
        (
            #""type":"string","min_length":0,"max_length":40"#,
            #"{"type":"string",\#(text),"minLength":0,"maxLength":40}"#
        ),
        (#""type":"string","charset":"a-z_""#, #"{"type":"string","pattern":"^[a-z\\u005f]*$"}"#),
        (
            #""type":"string","charset":"\\]\\^\\\\-""#,
            #"{"type":"string","pattern":"^[\\u005d\\u005e\\u005c\\u002d]*$"}"#
        ),
        (#""type":"string","charset":"é-ü😀""#, #"{"type":"string","pattern":"^[\\u00e9-\\u00fc😀]*$"}"#),
        (#""type":"json""#, "{}"),
        (#""type":"enum","values":["low","5",""]"#, #"{"type":"string","enum":["low","5",""]}"#),
        (#""type":"list","of":"int""#, #"{"type":"array","items":{"type":"integer",\#(integer)}}"#),
        (#""type":"list","of":"string""#, #"{"type":"array","items":{"type":"string",\#(text)}}"#),
        (
            #""type":"list","of":"enum","values":["a","b"]"#,
            #"{"type":"array","items":{"type":"string","enum":["a","b"]}}"#
        ),
        (
            #""type":"list","of":"string","max_length":3"#,
            #"{"type":"array","items":{"type":"string",\#(text),"maxLength":3}}"#
        ),
        // What a daemon of another version may say.
        (#""type":"color""#, "{}"),
        (#""type":"list","of":"color""#, #"{"type":"array","items":{}}"#),
        (#""type":"int","min":"few""#, #"{"type":"integer","maximum":9223372036854775807}"#),
        (#""type":"string","charset":"z-a""#, #"{"type":"string",\#(text)}"#),
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
        #expect(input["additionalProperties"] == .bool(false))
    }

    @Test(arguments: [
        (#""type":"string""#, #"{"type":"string",\#(text),"minLength":1}"#),
        (#""type":"string","min_length":0"#, #"{"type":"string",\#(text),"minLength":1}"#),
        (#""type":"string","min_length":3"#, #"{"type":"string",\#(text),"minLength":3}"#),
        (
            #""type":"list","of":"string""#,
            #"{"type":"array","items":{"type":"string",\#(text),"minLength":1},"minItems":1}"#
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
        (#""type":null"#, "{}"),
    ]

    @Test(arguments: outputs)
    func anItemIsWhatIsPromised(item: String, schema: String) throws {
        let expected: JSONValue = ["type": "object", "properties": ["value": try json(schema)], "required": ["value"]]
        expect(try Tool.returning(item).description["outputSchema"], equals: expected)
    }
}
