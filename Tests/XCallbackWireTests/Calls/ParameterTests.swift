import Testing
import XCallbackBytes
import XCallbackWire

/// What a method accepts, as its description says.
struct ParameterTests {
    static let accepted = [
        #"{}"#, #"{"bool":true}"#, #"{"bool":false}"#, #"{"bool":null}"#, #"{"int":0}"#, #"{"int":-0}"#,
        #"{"int":-9223372036854775808}"#, #"{"int":18446744073709551615}"#, #"{"float":1}"#, #"{"float":-1.5e-300}"#,
        #"{"float":18446744073709551616}"#, #"{"object":{}}"#, #"{"object":{"a":[null,{"b":1e999}]}}"#, #"{"any":1}"#,
        #"{"any":[null]}"#, #"{"any":{}}"#, #"{"any":""}"#, #"{"any":null}"#, #"{"list":[]}"#,
        #"{"list":[{"x":1},{"y":2,"x":3},{"x":1,"y":null}]}"#, #"{"map":{}}"#, #"{"map":{"a":"b","":null}}"#,
        #"{"set":{"a":{},"b":{}}}"#, #"{"enum":"two"}"#, #"{"enum":"t\u0077o"}"#, #"{"point":{"x":1}}"#,
        #"{"maybe":[1,null]}"#, #"{"maybe":[],"point":{"y":1,"x":2},"enum":"one","bool":true}"#, #"{"b\u006fol":true}"#,
        #"{"map":{"e\#u{301}":"1","\#u{E9}":"2"}}"#,
        #"{"no":null}"#, #"{"no":null,"bool":true,"":null}"#, #"{"point":{"z":null,"x":1,"y":2}}"#,
        #"{"set":{"a":null}}"#,
    ]

    @Test(arguments: accepted)
    func whatIsDeclaredIsAccepted(parameters: String) throws {
        let server = try TestService()
        server.receive(#"{"method":"org.example.test.All","parameters":\#(parameters)}"#)
        #expect(server.calls.count == 1)
        #expect(server.output.isEmpty)
    }

    static let refused: [(parameters: String, parameter: String)] = [
        (#"{"no":1}"#, "no"), (#"{"Bool":true}"#, "Bool"), (#"{"":1}"#, "parameters"), (#"{"bool":1}"#, "bool"),
        (#"{"bool":"true"}"#, "bool"), (#"{"int":1.0}"#, "int"), (#"{"int":1e3}"#, "int"), (#"{"int":"1"}"#, "int"),
        (#"{"int":18446744073709551616}"#, "int"), (#"{"int":-9223372036854775809}"#, "int"),
        (#"{"int":true}"#, "int"), (#"{"float":1e400}"#, "float"), (#"{"float":"1"}"#, "float"),
        (#"{"object":[]}"#, "object"), (#"{"object":{"a":1,"a":2}}"#, "object"),
        (#"{"object":{"\ud800":1}}"#, "object"), (#"{"any":["\ud800"]}"#, "any"), (#"{"any":[{"a":1,"a":1}]}"#, "any"),
        (#"{"anys":[1,null]}"#, "anys.1"),
        (#"{"list":{}}"#, "list"), (#"{"list":[1]}"#, "list.0"), (#"{"list":[{"x":1},{}]}"#, "list.1.x"),
        (#"{"list":[{"x":null}]}"#, "list.0.x"), (#"{"list":[{"x":1,"z":1}]}"#, "list.0.z"), (#"{"map":[]}"#, "map"),
        (#"{"map":{"a":1}}"#, "map.a"), (#"{"map":{"a":"1","a":"2"}}"#, "map.a"), (#"{"map":{"\ud800":"1"}}"#, "map"),
        (#"{"set":{"a":{"b":1}}}"#, "set.a.b"), (#"{"set":["a"]}"#, "set"), (#"{"enum":"three"}"#, "enum"),
        (#"{"enum":""}"#, "enum"), (#"{"enum":2}"#, "enum"), (#"{"enum":"\ud800"}"#, "enum"),
        (#"{"point":{}}"#, "point.x"),
        (#"{"point":{"y":1}}"#, "point.x"), (#"{"point":{"x":1,"x":1}}"#, "point.x"), (#"{"point":[]}"#, "point"),
        (#"{"maybe":["1"]}"#, "maybe.0"), (#"{"bool":true,"bool":true}"#, "bool"),
        (#"{"bool":null,"bool":true}"#, "bool"), (#"{"no":null,"no":null}"#, "no"),
        (#"{"no":null,"bool":true,"\u006eo":null}"#, "no"), (#"{"point":{"z":null,"x":1,"z":null}}"#, "point.z"),
        (#"{"\ud800":null}"#, "\u{FFFD}"), (#"{"map":{"a":null,"a":null}}"#, "map.a"),
        (#"{"bool":true,"\u0062ool":true}"#, "bool"), (#"[]"#, "parameters"), (#""x""#, "parameters"),
        ("0", "parameters"),
        ("true", "parameters"),
    ]

    @Test(arguments: refused)
    func whatIsNotDeclaredIsTold(parameters: String, parameter: String) throws {
        let server = try TestService()
        let replies = server.replies(to: #"{"method":"org.example.test.All","parameters":\#(parameters)}"#)
        #expect(
            replies == [
                #"{"error":"org.varlink.service.InvalidParameter","parameters":{"parameter":"\#(parameter)"}}"#
            ])
        #expect(server.calls.isEmpty && server.fault == nil)
    }

    @Test(arguments: ["", #","parameters":{}"#, #","parameters":null"#, #","parameters":{"text":null}"#])
    func whatIsMissingIsTold(parameters: String) throws {
        let server = try TestService()
        let replies = server.replies(to: #"{"method":"org.example.test.Echo"\#(parameters)}"#)
        #expect(
            replies == [#"{"error":"org.varlink.service.InvalidParameter","parameters":{"parameter":"text"}}"#])
    }

    static let texts = [
        "", "a", "é👩‍🚀", #"\u0061\n"#, #"\ud800"#, #"\x"#, "a\nb", #"a""#, #"a","times":1,"x":""#, #"a"}}"#,
    ]

    /// One is told by its bytes, the other is read.
    @Test(arguments: texts.map { Array($0.utf8) } + [[0xFF], [0xC3]])
    func aCallIsTheSameWithAndWithoutBlanks(text: [UInt8]) throws {
        let services = [try TestService(), try TestService()]
        for (service, blank) in zip(services, ["", " "]) {
            let beginning = "{\"method\":\"org.example.test.Echo\",\"parameters\":\(blank){\"text\":\""
            service.receive(Array(beginning.utf8) + text + Array("\"}}\0".utf8))
            if service.session.isBusy { service.finish() }
        }
        #expect(services[0].calls.map(\.parameters) == services[1].calls.map(\.parameters))
        #expect(services[0].takeReplies() == services[1].takeReplies())
        #expect(services[0].fault.map { "\($0)".prefix(12) } == services[1].fault.map { "\($0)".prefix(12) })
    }

    @Test func aStructureMayHaveManyFields() throws {
        let fields = (0..<200).map { "field\($0): \($0 == 199 ? "" : "?")int" }.joined(separator: ", ")
        let interface = try VarlinkInterface(parsing: "interface a.b\nmethod M(\(fields)) -> ()")
        let service = VarlinkService(
            .init(vendor: "", product: "", version: "", url: ""), interfaces: [(interface, [.init("M")])])
        func outcome(_ parameters: String) -> String {
            var session = VarlinkServerSession()
            var layout = JSONLayout()
            var output = ByteBuffer()
            let input = Array(#"{"method":"a.b.M","parameters":{\#(parameters)}}"#.utf8) + [0]
            let step = session.next(in: input.span, from: 0, of: service, &layout, into: &output)
            if case .call = step { return "call" }
            return String(decoding: output.contents.dropLast(), as: UTF8.self)
        }
        let all = (0..<200).reversed().map { #""field\#($0)":\#($0)"# }.joined(separator: ",")
        #expect(outcome(all) == "call")
        #expect(outcome(#""field199":1"#) == "call")
        #expect(outcome(#""field0":1"#).contains(#""parameter":"field199""#))
        #expect(outcome(#""field199":1,"field199":1"#).contains(#""parameter":"field199""#))
        #expect(outcome(all + #","field63":1"#).contains(#""parameter":"field63""#))
    }

    static let recursive: [(value: String, parameter: String?)] = [
        (#"{"next":{"list":[{},{"next":null}]}}"#, nil), (#"{"next":{"list":[{"x":1}]}}"#, "t.next.list.0.x"),
        (String(repeating: #"{"next":"#, count: 16_000) + "{}" + String(repeating: "}", count: 16_000), "t"),
    ]

    @Test(arguments: recursive)
    func aTypeMayContainItself(value: String, parameter: String?) throws {
        let interface = try VarlinkInterface(
            parsing: "interface a.b\ntype T (next: ?T, list: ?[]T)\nmethod M(t: T) -> ()")
        let service = VarlinkService(
            .init(vendor: "", product: "", version: "", url: ""), interfaces: [(interface, [.init("M")])])
        var session = VarlinkServerSession()
        var layout = JSONLayout()
        var output = ByteBuffer()
        let input = Array(#"{"method":"a.b.M","parameters":{"t":\#(value)}}"#.utf8) + [0]
        let step = session.next(in: input.span, from: 0, of: service, &layout, into: &output)
        if case .call = step { #expect(parameter == nil) }
        let reply = String(decoding: output.contents, as: UTF8.self)
        #expect(parameter.map { reply.contains(#""parameter":"\#($0)""#) } ?? reply.isEmpty)
    }
}
