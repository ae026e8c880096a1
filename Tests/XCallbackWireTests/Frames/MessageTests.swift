import Testing
import XCallbackTesting
import XCallbackWire

/// What is a message, and what closes the connection.
struct MessageTests {
    private static let method = #""method":"org.example.test.All""#

    /// What the server makes of a message: the replies, or why it closes.
    private static func outcome(_ message: [UInt8], limit: Int = FrameReader.defaultLimit) throws -> String {
        let server = TestService(limit: limit)
        server.receive(message + [0])
        while server.session.isBusy { server.finish() }
        return server.fault.map { "close: \($0)" } ?? server.takeReplies().joined(separator: "\n")
    }

    private static func outcome(_ message: String) throws -> String { try outcome(Array(message.utf8)) }

    private static func invalid(_ parameter: String) -> String {
        #"{"error":"org.varlink.service.InvalidParameter","parameters":{"parameter":"\#(parameter)"}}"#
    }

    static let valid = [
        "null", " true ", "false", "0", "-0", "-0.50", "1e5", "1E+05", "1.5e-7", "1e400", "-1E-400",
        String(repeating: "9", count: 5000), "\"\"", #""\"\\\/\b\f\n\r\t\u00e9""#, #""\ud83d\uDE80""#, #""\u0000""#,
        #""\ud800""#, #""\udc00\ud800""#, #""\ud800\n""#, "\"\u{7F}é🚀\u{2028}\u{FFFF}\"", "[]", "[ ]", "{}",
        "\t{ }\r\n",
        "[1, [2 ,[3]], {}]", #"{"a":{"b":[{}]},"c":null}"#, #"{"a":1,"a":2}"#, #"{"":0,"\u0000":1}"#,
        "[" + String(repeating: "0,", count: 10_000) + "0]",
    ]

    @Test(arguments: valid)
    func everyValidDocumentIsRead(text: String) throws {
        let isObject = text.contains("{") && !text.hasPrefix("[")
        let isAbsent = text == "null" || text.allSatisfy { " \t\r\n{}".contains($0) }
        let parameters = try Self.outcome("{\(Self.method),\"parameters\":\(text)}")
        if isAbsent {
            #expect(parameters == #"{"parameters":{}}"#)
        } else if isObject {
            #expect(parameters.hasPrefix(#"{"error":"org.varlink.service.InvalidParameter""#))
        } else {
            #expect(parameters == Self.invalid("parameters"))
        }
        let nested = try Self.outcome("{\(Self.method),\"parameters\":{\"unknown\":\(text)}}")
        #expect(nested == (text == "null" ? #"{"parameters":{}}"# : Self.invalid("unknown")))
        #expect(try Self.outcome("{\"org.example\":\(text),\(Self.method)}") == #"{"parameters":{}}"#)
    }

    static let invalid = [
        "", " ", "nul", "nulL", "x", "[,]", "[1,]", "[1 2]", "[1", "{", "{1:2}", #"{"a" 1}"#, #"{"a":1,}"#,
        #"{"a":1 "b"}"#, "1 2", "01", "-", "1.", "1.e1", "1e", "1e+", "+1", ".5", "NaN", "Infinity", "0x1", "'a'",
        "\"a",
        "\"\\", "\"\n\"", "\"a\tb\"", #""\x""#, #""\u12g4""#, #""\u12"#, "\u{FEFF}1", "// x\n1", "[1}", #"{"a":1]"#,
        "]",
        "\u{A0}1", "True", #"{"a"}"#, "{,}", "1\u{C}",
    ]

    @Test(arguments: invalid)
    func everyInvalidDocumentClosesTheConnection(text: String) throws {
        for message in [text, "{\(Self.method),\"parameters\":\(text)}", "{\"org.example\":\(text),\(Self.method)}"] {
            #expect(try Self.outcome(message).hasPrefix("close: a message that is not JSON"), "\(message)")
        }
    }

    @Test func whatIsNotUTF8ClosesTheConnection() throws {
        for bytes: [UInt8] in [[0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xE2, 0x82], [0xF5, 0x80, 0x80, 0x80]] {
            let message = Array("{\(Self.method),\"org.example\":\"".utf8) + bytes + Array("\"}".utf8)
            #expect(try Self.outcome(message).hasPrefix("close: a message that is not JSON"))
        }
    }

    static let malformed: [(message: String, fault: VarlinkFault)] = [
        ("[]", .notAnObject), ("null", .notAnObject), ("1", .notAnObject), ("\"\"", .notAnObject),
        ("{}", bad("method")), (#"{"parameters":{}}"#, bad("method")), (#"{"method":null}"#, bad("method")),
        (#"{"method":1}"#, bad("method")), (#"{"method":["a.B"]}"#, bad("method")),
        (#"{"method":"a.\ud800"}"#, bad("method")),
        (#"{"method":"a.B","more":1}"#, bad("more")), (#"{"method":"a.B","more":"true"}"#, bad("more")),
        (#"{"method":"a.B","oneway":{}}"#, bad("oneway")), (#"{"method":"a.B","upgrade":[]}"#, bad("upgrade")),
        (#"{"method":"a.B","more":true,"oneway":true}"#, .contradiction),
        (#"{"method":"a.B","more":true,"upgrade":true}"#, .contradiction),
        (#"{"method":"a.B","oneway":true,"upgrade":true}"#, .contradiction),
        (#"{"method":"a.B","unknown":1}"#, bad("unknown")), (#"{"method":"a.B","X-more":true}"#, bad("X-more")),
        (#"{"method":"a.B","continues":true}"#, bad("continues")), (#"{"method":"a.B","Method":true}"#, bad("Method")),
        (#"{"method":"a.B","method":"a.B"}"#, bad("method")),
        (#"{"method":"a.B","\u006dethod":"a.C"}"#, bad("method")),
        (#"{"method":"a.B","more":null,"more":true}"#, bad("more")),
    ]

    private static func bad(_ member: String) -> VarlinkFault { .badMember(member) }

    @Test(arguments: malformed)
    func aMessageThatIsNoCallClosesTheConnection(message: String, fault: VarlinkFault) throws {
        #expect(try Self.outcome(message) == "close: \(fault)")
    }

    static let wellFormed = [
        #"{"more":null,"oneway":null,"upgrade":null,"parameters":null,METHOD}"#,
        #"{"more":false,"oneway":false,"upgrade":false,METHOD}"#, #" { METHOD , "parameters" : { } } "#,
        #"{METHOD,"org.example":{"more":1}}"#, #"{METHOD,".":null}"#,
        #"{METHOD,"unknown":null,"continues":null}"#,
        #"{"m\u0065thod":"org.example.test.\u0041ll"}"#, "\n\t\r {METHOD}\n", #"{METHOD,"more":true}"#,
    ]

    @Test(arguments: wellFormed)
    func aMessageThatIsACallIsRead(text: String) throws {
        let message = text.split(separator: "METHOD", omittingEmptySubsequences: false).joined(separator: Self.method)
        #expect(try Self.outcome(message) == #"{"parameters":{}}"#)
    }

    @Test func depthAndCountAreBounded() throws {
        func nested(_ depth: Int, _ open: String, _ close: String) -> String {
            String(repeating: open, count: depth) + "0" + String(repeating: close, count: depth)
        }
        func call(_ value: String) -> String { "{\(Self.method),\"parameters\":{\"any\":\(value)}}" }
        #expect(try Self.outcome(call(nested(62, "[", "]"))) == #"{"parameters":{}}"#)
        for (open, close) in [("[", "]"), (#"{"a":"#, "}"), ("[", "")] {
            for depth in [63, 100_000] {
                let outcome = try Self.outcome(call(nested(depth, open, close)))
                #expect(outcome.contains("more than 64 lists and objects within one another"))
            }
        }
        let numbers = "[\(Array(repeating: "0", count: 40_000).joined(separator: ","))]"
        #expect(try Self.outcome(call(numbers)).contains("more than 32768 names and values"))
    }

    @Test func aMessageMayHaveAMebibyte() throws {
        let start = "{\"method\":\"org.example.test.Echo\",\"parameters\":{\"text\":\""
        let end = "\"}}"
        let text = String(repeating: "x", count: 1 << 20 - start.utf8.count - end.utf8.count)
        #expect(try Self.outcome(start + text + end) == #"{"parameters":{}}"#)
        #expect(try Self.outcome(start + text + "x" + end) == "close: a message of more than 1048576 bytes")
        let server = TestService()
        server.receive([UInt8](repeating: 0x20, count: 1 << 20 + 1))
        #expect(server.fault == .tooLong(limit: 1 << 20))
    }

    @Test func aDocumentServesOneTextAfterTheOther() throws {
        var document = JSONDocument()
        let large = "[" + String(repeating: "0,", count: 100_000) + "0]"
        for (text, count) in [(large, 100_002), ("[1,[2]]", 4), ("[1]", 2)] {
            let bytes = Array(text.utf8)
            try document.read(bytes.span)
            #expect(document[0].next == count)
        }
    }

    @Test(.timeLimit(.minutes(10)))
    func damagedMessagesAreAnsweredOrClose() throws {
        var random = SeededGenerator(seed: 5)
        var document = JSONDocument()
        for _ in 0..<100_000 {
            let message = Self.damagedMessage(&random)
            if let output = Self.answer(to: message, &document), Self.isReply(output) { continue }
            throw TestFailure("a fault at \(String(decoding: message, as: UTF8.self))")
        }
    }

    /// What a session writes when it gets a message; nil if it neither answers nor closes.
    private static func answer(to message: [UInt8], _ document: inout JSONDocument) -> [UInt8]? {
        var session = VarlinkServerSession()
        var output = ByteBuffer()
        switch session.next(in: message.span, from: 0, of: SampleInterface.service, &document, into: &output) {
        case .call(let call, let next):
            do throws(VarlinkError) {
                _ = try SampleInterface.read(call, in: document)
                session.finish(with: try VarlinkObject(call, in: document).json(), into: &output)
            } catch {
                session.finish(with: error, into: &output)
            }
            return next == message.count ? output.contents : nil
        case .answered(let next): return next == message.count ? output.contents : nil
        case .close: return output.isEmpty ? output.contents : nil
        case .needsInput, .waits: return nil
        }
    }

    /// Whether bytes are one message, or none.
    private static func isReply(_ output: [UInt8]) -> Bool {
        guard !output.isEmpty else { return true }
        guard output.firstIndex(of: 0) == output.count - 1 else { return false }
        let text = output.span.extracting(droppingLast: 1)
        return (try? JSONValue(parsing: text, maximumSize: 1 << 20)) != nil
    }

    private static let seeds = [
        #"{"method":"org.example.test.Echo","parameters":{"text":"a\u00e9\n","times":3,"colour":"red"},"more":true}"#,
        #"{"method":"org.example.test.All","parameters":{"int":-1,"float":1.5e3,"object":{"a":[{}]},"any":[1,null],"#
            + #""list":[{"x":1},{"x":2,"y":null}],"texts":["a","b"],"enum":"one","point":{"x":3}}}"#,
        #"{"method":"org.varlink.service.GetInterfaceDescription","parameters":{"interface":"org.example.test"}}"#,
        #"{"method":"org.varlink.service.GetInfo","oneway":false,"org.example":{"x":[true,false]}}"#,
    ].map { Array($0.utf8) }
    private static let pieces = [
        "{", "}", "[", "]", ":", ",", "\"", "\\", "null", "true", "0", "-1", "1e9", "\"a\"", "\\u0000", "\\ud800", "é",
        " ",
        "more", "oneway", "\u{1}", "\"x\":1,",
    ].map { Array($0.utf8) }

    /// A message with some of its bytes changed, removed or doubled, and a zero byte behind it.
    private static func damagedMessage(_ random: inout SeededGenerator) -> [UInt8] {
        var bytes = seeds[random.below(seeds.count)]
        for _ in 0...random.below(3) {
            let start = random.below(bytes.count)
            switch random.below(4) {
            case 0: bytes[start] = UInt8(1 + random.below(255))
            case 1: bytes.removeSubrange(start..<max(start, min(bytes.count - 1, start + random.below(8))))
            case 2: bytes.insert(contentsOf: pieces[random.below(pieces.count)], at: start)
            default: bytes.insert(contentsOf: bytes[start..<min(bytes.count, start + random.below(20))], at: start)
            }
        }
        return bytes + [0]
    }
}
