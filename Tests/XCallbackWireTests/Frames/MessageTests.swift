import TestSupport
import Testing
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

    @Test(arguments: ["", " ", "nulL", "[1,]", #"{"a":1]"#, "1 2", "\"\\"])
    func whatIsNotJSONClosesTheConnection(text: String) throws {
        for message in [text, "{\(Self.method),\"parameters\":\(text)}", "{\"org.example\":\(text),\(Self.method)}"] {
            expect(try Self.outcome(message), "\(message)") { $0.hasPrefix("close: a message that is not JSON") }
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
        expect(try Self.outcome(message), equals: "close: \(fault)")
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
        expect(try Self.outcome(message), equals: #"{"parameters":{}}"#)
    }

    @Test func whatFollowsAMessageInPartsIsFound() {
        var reader = FrameReader()
        let input = Array("in parts\0a\0bc\0def\0".utf8)
        #expect(reader.next(in: input.span.extracting(0..<5), from: 0) == .incomplete(from: 0))
        #expect(reader.next(in: input.span, from: 0) == .frame(0..<8, next: 9))
        #expect(reader.next(in: input.span, from: 9) == .frame(9..<10, next: 11))
        #expect(reader.next(in: input.span, from: 11) == .frame(11..<13, next: 14))
    }

    @Test func depthAndCountAreBounded() throws {
        func nested(_ depth: Int, _ open: String, _ close: String) -> String {
            String(repeating: open, count: depth) + "0" + String(repeating: close, count: depth)
        }
        func call(_ value: String) -> String { "{\(Self.method),\"parameters\":{\"any\":\(value)}}" }
        expect(try Self.outcome(call(nested(62, "[", "]"))), equals: #"{"parameters":{}}"#)
        for (open, close) in [("[", "]"), (#"{"a":"#, "}"), ("[", "")] {
            for depth in [63, 100_000] {
                let outcome = try Self.outcome(call(nested(depth, open, close)))
                #expect(outcome.contains("more than 64 lists and objects within one another"))
            }
        }
        let numbers = "[\(Array(repeating: "0", count: 40_000).joined(separator: ","))]"
        expect(try Self.outcome(call(numbers))) { $0.contains("more than 32768 names and values") }
    }

    @Test func aMessageMayHaveAMebibyte() throws {
        let start = "{\"method\":\"org.example.test.Echo\",\"parameters\":{\"text\":\""
        let end = "\"}}"
        let text = String(repeating: "x", count: 1 << 20 - start.utf8.count - end.utf8.count)
        expect(try Self.outcome(start + text + end), equals: #"{"parameters":{}}"#)
        expect(try Self.outcome(start + text + "x" + end), equals: "close: a message of more than 1048576 bytes")
        let server = TestService()
        server.receive([UInt8](repeating: 0x20, count: 1 << 20 + 1))
        #expect(server.fault == .tooLong(limit: 1 << 20))
    }
}
