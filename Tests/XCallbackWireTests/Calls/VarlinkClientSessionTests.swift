import Testing
import XCallbackWire

final class VarlinkClientSessionTests {
    private var session = VarlinkClientSession()
    private var sent: [UInt8] = []

    private func next(_ message: String) -> VarlinkClientSession.Step {
        let input = Array(message.utf8) + [0]
        return session.next(in: input.span, from: 0)
    }

    @Test func callsAreWrittenWithWhatTheyNeed() {
        let parameters: JSONValue = ["a": .string("\0")]
        let numbers = [
            session.call("a.b.C", into: &sent), session.call("a.b.C", parameters, mode: .more, into: &sent),
            session.call("a.b.C", mode: .oneway, into: &sent), session.call("a.b.C", parameters, into: &sent),
        ]
        #expect(numbers == [0, 1, nil, 2])
        #expect(session.openCount == 3)
        #expect(
            sent.split(separator: 0).map { String(decoding: $0, as: UTF8.self) } == [
                #"{"method":"a.b.C"}"#, #"{"method":"a.b.C","more":true,"parameters":{"a":"\u0000"}}"#,
                #"{"method":"a.b.C","oneway":true}"#, #"{"method":"a.b.C","parameters":{"a":"\u0000"}}"#,
            ])
        #expect(sent.last == 0)
    }

    @Test func repliesBelongToCallsInTheirOrder() {
        session.call("a.b.C", into: &sent)
        session.call("a.b.C", mode: .more, into: &sent)
        session.call("a.b.C", mode: .oneway, into: &sent)
        session.call("a.b.C", into: &sent)
        let input = Array(
            #"{"parameters":{"a":1}}!{"continues":true}!{"continues":true,"parameters":{}}!{"parameters":null}!{"error":"x.Y"}!"#
                .utf8
        ).map { $0 == UInt8(ascii: "!") ? 0 : $0 }
        var position = 0
        var replies: [VarlinkReply] = []
        while case .reply(let reply, let next) = session.next(in: input.span, from: position) {
            replies.append(reply)
            position = next
        }
        #expect(position == input.count)
        #expect(replies.map(\.call) == [0, 1, 1, 1, 2])
        #expect(replies.map(\.continues) == [false, true, true, false, false])
        let results: [Result<JSONValue, VarlinkError>] = [
            .success(["a": .number(1)]), .success([:]), .success([:]), .success([:]), .failure(VarlinkError("x.Y")),
        ]
        #expect(replies.map(\.result) == results)
        #expect(session.openCount == 0)
    }

    @Test func manyCallsKeepTheirNumbers() {
        for _ in 0..<200 { session.call("a.b.C", into: &sent) }
        for number in 0..<150 {
            guard case .reply(let reply, _) = next("{}") else { return #expect(Bool(false)) }
            #expect(reply.call == number)
        }
        let number = session.call("a.b.C", into: &sent)
        #expect(number == 200)
        #expect(session.openCount == 51)
        guard case .reply(let reply, _) = next("{}") else { return #expect(Bool(false)) }
        #expect(reply.call == 150)
    }

    static let malformed: [(message: String, fault: VarlinkFault)] = [
        ("[]", .notAnObject), (#"{"unknown":1}"#, bad("unknown")), (#"{"method":"a"}"#, bad("method")),
        (#"{"parameters":[]}"#, bad("parameters")), (#"{"continues":1}"#, bad("continues")),
        (#"{"error":1}"#, bad("error")), (#"{"error":"a.B","error":"a.B"}"#, bad("error")),
        (#"{"parameters":{"a":1,"a":1}}"#, bad("parameters")),
        (#"{"continues":true}"#, .unexpectedContinuation),
        (#"{"error":"a.B","continues":true}"#, .unexpectedContinuation),
    ]

    private static func bad(_ member: String) -> VarlinkFault { .badMember(member) }

    @Test(arguments: malformed)
    func aMessageThatIsNoReplyClosesTheConnection(message: String, fault: VarlinkFault) {
        session.call("a.b.C", into: &sent)
        #expect(next(message) == .close(fault))
    }

    @Test func aReplyWithoutACallClosesTheConnection() {
        #expect(next("{}") == .close(.unexpectedReply))
        session = VarlinkClientSession()
        session.call("a.b.C", mode: .oneway, into: &sent)
        #expect(next("{}") == .close(.unexpectedReply))
    }

    @Test func aReplyMayBeManyTimesAsLongAsACall() {
        session.call("a.b.C", into: &sent)
        let text = String(repeating: "a", count: 9 << 20)
        guard case .reply(let reply, _) = next(#"{"parameters":{"text":"\#(text)"}}"#) else {
            return #expect(Bool(false))
        }
        #expect(reply.result == .success(["text": .string(text)]))
    }

    @Test func aReplyIsBounded() {
        session = VarlinkClientSession(limit: 10)
        session.call("a.b.C", into: &sent)
        #expect(next("           ") == .close(.tooLong(limit: 10)))
        #expect(next("{") != .needsInput(from: 0))
        let part = Array("{}".utf8)
        let step = session.next(in: part.span, from: 0)
        #expect(step == .needsInput(from: 0))
    }
}
