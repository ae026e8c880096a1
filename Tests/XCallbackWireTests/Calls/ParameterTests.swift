import Testing
import XCallbackTesting
import XCallbackWire

/// What a method accepts, as its description says.
struct ParameterTests {
    static let accepted = [
        #"{}"#, #"{"bool":true}"#, #"{"bool":false}"#, #"{"bool":null}"#, #"{"int":0}"#, #"{"int":-0}"#,
        #"{"int":-9223372036854775808}"#, #"{"small":255}"#, #"{"float":1}"#, #"{"float":-1.5e-300}"#,
        #"{"float":18446744073709551616}"#, #"{"object":{}}"#, #"{"object":{"a":[null,{"b":1e999}]}}"#, #"{"any":1}"#,
        #"{"any":[null]}"#, #"{"any":{}}"#, #"{"any":""}"#, #"{"any":null}"#, #"{"list":[]}"#,
        #"{"list":[{"x":1},{"y":2,"x":3},{"x":1,"y":null}]}"#, #"{"texts":["","\u0000"]}"#, #"{"enum":"two"}"#,
        #"{"enum":"t\u0077o"}"#, #"{"point":{"x":1}}"#, #"{"point":{"y":1,"x":2},"enum":"one","bool":true}"#,
        #"{"b\u006fol":true}"#, #"{"no":null}"#, #"{"no":null,"bool":true,"":null}"#,
        #"{"point":{"z":null,"x":1,"y":2}}"#, #"{"object":{"e\#u{301}":"1","\#u{E9}":"2"}}"#,
        "{" + (0..<100).map { #""no\#($0)":null,"# }.joined() + #""bool":true}"#,
    ]

    @Test(arguments: accepted)
    func whatIsDeclaredIsAccepted(parameters: String) throws {
        let server = TestService()
        server.receive(#"{"method":"org.example.test.All","parameters":\#(parameters)}"#)
        #expect(server.calls.count == 1)
        #expect(server.output.isEmpty)
    }

    static let refused: [(parameters: String, parameter: String)] = [
        (#"{"no":1}"#, "no"), (#"{"Bool":true}"#, "Bool"), (#"{"":1}"#, "parameters"), (#"{"int":1e3}"#, "int"),
        (#"{"int":9223372036854775808}"#, "int"), (#"{"int":-9223372036854775809}"#, "int"),
        (#"{"small":256}"#, "small"),
        (#"{"float":1e400}"#, "float"), (#"{"object":{"a":1,"a":2}}"#, "object.a"),
        (#"{"object":{"\ud800":1}}"#, "object.\u{FFFD}"), (#"{"any":["\ud800"]}"#, "any.0"),
        (#"{"any":[{"a":1,"a":1}]}"#, "any.0.a"), (#"{"list":[{"x":1},{}]}"#, "list.1.x"),
        (#"{"texts":["a","\ud800"]}"#, "texts.1"), (#"{"texts":[null]}"#, "texts.0"), (#"{"enum":"\ud800"}"#, "enum"),
        (#"{"point":{"x":1,"x":1}}"#, "point.x"), (#"{"bool":true,"bool":true}"#, "bool"),
        (#"{"bool":null,"bool":true}"#, "bool"), (#"{"bool":true,"\u0062ool":true}"#, "bool"),
        (#"[]"#, "parameters"), (#""x""#, "parameters"), ("0", "parameters"), ("true", "parameters"),
        ("{" + (0..<100).map { #""no\#($0)":null,"# }.joined() + #""bool":true,"no":1}"#, "no"),
        (#"{"bool":true,"# + (0..<100).map { #""no\#($0)":1,"# }.joined() + #""int":1}"#, "no0"),
    ]

    @Test(arguments: refused)
    func whatIsNotDeclaredIsReported(parameters: String, parameter: String) throws {
        let server = TestService()
        let replies = server.replies(to: #"{"method":"org.example.test.All","parameters":\#(parameters)}"#)
        #expect(
            replies == [
                #"{"error":"org.varlink.service.InvalidParameter","parameters":{"parameter":"\#(parameter)"}}"#
            ])
        #expect(server.calls.isEmpty && server.fault == nil)
    }

    @Test(arguments: ["", #","parameters":{}"#, #","parameters":null"#, #","parameters":{"text":null}"#])
    func whatIsMissingIsReported(parameters: String) throws {
        let server = TestService()
        let replies = server.replies(to: #"{"method":"org.example.test.Echo"\#(parameters)}"#)
        #expect(
            replies == [#"{"error":"org.varlink.service.InvalidParameter","parameters":{"parameter":"text"}}"#])
    }
}
