import Testing
import XCallbackTesting
import XCallbackWire

struct VarlinkServerSessionTests {
    private static let echo = #"{"method":"org.example.test.Echo","parameters":{"text":"a"}}"#

    @Test func aCallIsReadAndItsReplyWritten() throws {
        let server = TestService()
        server.receive(Self.echo)
        #expect(server.calls.count == 1)
        #expect(server.calls.first?.method == 0)
        #expect(server.calls.first?.mode == .once)
        #expect(server.calls.first?.parameters == ["text": .string("a")])
        #expect(server.session.isBusy && !server.session.acceptsMore)
        server.finish(with: ["text": .string("a\"\0é")])
        #expect(server.output.contents == Array(#"{"parameters":{"text":"a\"\u0000é"}}"#.utf8) + [0])
        #expect(!server.session.isBusy)
    }

    @Test func callsAreAnsweredOneAfterTheOther() throws {
        let server = TestService()
        let calls = ["a", "b", "c"].map { #"{"method":"org.example.test.Echo","parameters":{"text":"\#($0)"}}"# }
        server.receive(Array(calls.joined(separator: "\0").utf8) + [0])
        for text in ["a", "b", "c"] {
            #expect(server.calls.last?.parameters == ["text": .string(text)])
            server.finish(with: ["text": .string(text)])
        }
        #expect(server.calls.count == 3)
        #expect(server.takeReplies() == ["a", "b", "c"].map { #"{"parameters":{"text":"\#($0)"}}"# })
    }

    @Test func whatFollowsACallWaitsUntilItIsFinished() throws {
        let server = TestService()
        server.receive(#"{"method":"org.example.test.Watch","more":true}"#)
        server.receive(#"{"method":"org.varlink.service.GetInterfaceDescription","parameters":{"interface":"x"}}"#)
        #expect(server.session.acceptsMore)
        for text in ["a", "b"] { server.continue(with: ["text": .string(text)]) }
        #expect(
            server.takeReplies() == ["a", "b"].map { #"{"continues":true,"parameters":{"text":"\#($0)"}}"# })
        server.finish()
        #expect(
            server.takeReplies() == [
                #"{"parameters":{}}"#,
                #"{"error":"org.varlink.service.InterfaceNotFound","parameters":{"interface":"x"}}"#,
            ])
    }

    @Test func aMethodThatNeedsMoreIsNotCalledWithoutIt() throws {
        let server = TestService()
        #expect(
            server.replies(to: #"{"method":"org.example.test.Watch"}"#) == [
                #"{"error":"org.varlink.service.ExpectedMore"}"#
            ])
        #expect(server.calls.isEmpty)
    }

    @Test func aOnewayCallHasNoReply() throws {
        let server = TestService()
        server.receive(#"{"method":"org.example.test.Echo","oneway":true,"parameters":{"text":"a"}}"#)
        #expect(server.calls.last?.mode == .oneway)
        server.finish(with: ["text": .string("a")])
        server.receive(#"{"method":"org.example.test.Echo","oneway":true,"parameters":{"text":"a"}}"#)
        server.finish(with: .permissionDenied)
        for method in ["org.varlink.service.GetInfo", "org.example.test.Watch", "org.example.test.No", "no.No", "x"] {
            server.receive(#"{"method":"\#(method)","oneway":true}"#)
        }
        server.receive(#"{"method":"org.example.test.Echo","oneway":true,"parameters":{"unknown":1}}"#)
        #expect(server.output.isEmpty && server.fault == nil && !server.session.isBusy)
        #expect(server.replies(to: Self.echo) == [#"{"parameters":{}}"#])
    }

    @Test func noReplyToAOnewayCallIsLeft() throws {
        let server = TestService()
        server.receive(#"{"method":"org.example.test.Echo","oneway":true,"parameters":{"text":"a"}}"#)
        var output = ByteBuffer()
        output.append("before")
        let start = server.session.beginReply(into: &output)
        output.append("{}")
        server.session.finishReply(from: start, into: &output)
        #expect(output.contents == Array("before".utf8) && !server.session.isBusy)
    }

    @Test func nobodyTakesAConnectionOver() throws {
        let server = TestService()
        #expect(
            server.replies(to: #"{"method":"org.example.test.Echo","upgrade":true,"parameters":{"text":"a"}}"#) == [
                #"{"error":"org.varlink.service.MethodNotImplemented","#
                    + #""parameters":{"method":"org.example.test.Echo"}}"#
            ])
        #expect(server.replies(to: Self.echo) == [#"{"parameters":{}}"#])
    }

    static let unknown: [(method: String, error: String)] = [
        ("org.example.other.Echo", #"InterfaceNotFound","parameters":{"interface":"org.example.other"}"#),
        ("org.example.Test.Echo", #"InterfaceNotFound","parameters":{"interface":"org.example.Test"}"#),
        ("org.example.test", #"InterfaceNotFound","parameters":{"interface":"org.example"}"#),
        ("Echo", #"InterfaceNotFound","parameters":{"interface":"Echo"}"#),
        ("", #"InterfaceNotFound","parameters":{"interface":""}"#),
        (".", #"InterfaceNotFound","parameters":{"interface":""}"#),
        ("org.example.test.", #"MethodNotFound","parameters":{"method":"org.example.test."}"#),
        ("org.example.test.echo", #"MethodNotFound","parameters":{"method":"org.example.test.echo"}"#),
        ("org.example.test.Failed", #"MethodNotFound","parameters":{"method":"org.example.test.Failed"}"#),
        (
            "org.example.test.\u{301}Lost",
            "MethodNotFound\",\"parameters\":{\"method\":\"org.example.test.\u{301}Lost\"}"
        ),
        ("org.varlink.service.Get", #"MethodNotFound","parameters":{"method":"org.varlink.service.Get"}"#),
        (#"org.example.test.\u0000\""#, #"MethodNotFound","parameters":{"method":"org.example.test.\u0000\""}"#),
    ]

    @Test(arguments: unknown)
    func anUnknownMethodIsReported(method: String, error: String) throws {
        let server = TestService()
        #expect(
            server.replies(to: #"{"method":"\#(method)"}"#) == [#"{"error":"org.varlink.service.\#(error)}"#])
        #expect(server.calls.isEmpty)
    }

    @Test func theStandardErrorsAreThoseOfTheService() throws {
        let errors: [VarlinkError] = [
            .interfaceNotFound("a"), .methodNotFound("a"), .methodNotImplemented("a"), .invalidParameter("a"),
            .permissionDenied, .expectedMore, .expectedUpgrade,
        ]
        let server = TestService()
        let replies = server.replies(
            to: #"{"method":"org.varlink.service.GetInterfaceDescription","#
                + #""parameters":{"interface":"org.varlink.service"}}"#)
        let bytes = Array((replies.first ?? "").utf8)
        let reply = try JSONValue(parsing: bytes.span, maximumSize: 1 << 20)
        let interface = try VarlinkInterface(parsing: reply["parameters"]?["description"]?.text ?? "")
        let described = interface.errors.map { "\(interface.name).\($0.name) \($0.fields)" }
        #expect(described == errors.map { "\($0.name) \($0.parameters.map(\.name))" })
    }

    @Test func aStringIsDecodedInItsMessage() throws {
        var (session, message, output) = (VarlinkServerSession(), JSONDocument(), ByteBuffer())
        let input =
            Array(#"{"parameters":{"text":"a\/\u0000\ud83d\ude80!"},"method":"org.example.test.Echo"}"#.utf8) + [0]
        let step = session.next(in: input.span, from: 0, of: SampleInterface.service, &message, into: &output)
        guard case .call(let call, _) = step else { return #expect(Bool(false)) }
        let parameters = VarlinkObject(call, in: message)
        let range = try parameters.required("text").range()
        #expect(Array(parameters.bytes[range]) == Array("a/\0🚀!".utf8))
        let hasColour = parameters.optional("colour") != nil
        #expect(!hasColour)
    }
}
