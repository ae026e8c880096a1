import TestSupport
import Testing
import XCallbackRouter
import XCallbackURL

struct ExecutionTests {
    private let trace = Trace()
    private let refusal = Response.error(CallbackError(.refused, "no"))

    private func stage(_ name: String, end: Response? = nil) -> Tracing { Tracing(trace, name, end: end) }

    private func conversation(
        second: Response? = nil, policy: Response? = nil, input: Input = Input([]), asked: Response? = nil
    ) throws -> Conversation {
        try Conversation([
            Route(
                "notes:/a", middleware: [.immediate(stage("m1")), .immediate(stage("m2", end: second))],
                policies: [stage("p1", end: policy), stage("p2")], input: input,
                asyncPolicies: [stage("q1", end: asked), stage("q2")], .immediate(stage("h")))
        ])
    }

    @Test func middlewareThatAnswersEndsTheRequest() throws {
        var conversation = try conversation(second: .cancel)
        #expect(conversation.answer(to: "notes:/a?x-cancel=app:/c%3Fd") == "app:/c?d")
        #expect(trace.taken() == ["m1 receives", "m2 receives", "m2 finishes", "m1 finishes"])
    }

    @Test func onlyMiddlewareThatWasEnteredFinishes() throws {
        let conversationRoute = try Route(
            "notes:/a",
            middleware: [.immediate(stage("m1", end: refusal)), .immediate(stage("m2"))], .immediate(stage("h")))
        var conversation = try Conversation([conversationRoute])
        #expect(conversation.answer(to: "notes:/a").contains("errorCode=403&errorMessage=no"))
        #expect(trace.taken() == ["m1 receives", "m1 finishes"])
    }

    @Test func theFirstPolicyThatFailsEndsTheRequest() throws {
        var conversation = try conversation(policy: refusal)
        #expect(conversation.answer(to: "notes:/a").contains("errorCode=403&errorMessage=no"))
        #expect(trace.taken() == ["m1 receives", "m2 receives", "p1 verifies", "m2 finishes", "m1 finishes"])
    }

    @Test func theInputIsDecodedAfterThePolicies() throws {
        let input = Input([Input.Declaration(name: "id", rule: ParameterRule(type: .integer))])
        var refusing = try conversation(policy: refusal, input: input)
        #expect(refusing.answer(to: "notes:/a").contains("errorCode=403"))
        _ = trace.taken()
        var conversation = try conversation(input: input)
        #expect(conversation.answer(to: "notes:/a").contains("errorCode=422"))
        #expect(
            trace.taken() == [
                "m1 receives", "m2 receives", "p1 verifies", "p2 verifies", "m2 finishes", "m1 finishes",
            ])
    }

    @Test(arguments: [Response.cancel, .error(CallbackError(.refused, "no"))])
    func aPolicyThatWasAskedEndsTheRequest(response: Response) async throws {
        var conversation = try conversation(asked: response)
        let answer = await conversation.awaitedAnswer(to: "notes:/a?x-cancel=app:/c&x-error=app:/e")
        #expect(answer == (response == .cancel ? "app:/c" : "app:/e?errorCode=403&errorMessage=no"))
        #expect(trace.taken().suffix(3) == ["q1 asks", "m2 finishes", "m1 finishes"])
    }

    @Test func whatMiddlewareChangesReachesTheStagesAfterIt() throws {
        let first = Changing { request in
            request.parameters.removeAll(named: "a")
            request.parameters.append("b", "2,+")
            request.data["key"] = "value"
        }
        let handler = Answering { request in
            var items = request.parameters
            items.append("data", request.data["key"] as? String)
            return .success(items)
        }
        let input = Input([Input.Declaration(name: "b", rule: ParameterRule(type: .string))])
        var conversation = try Conversation([
            Route("notes:/:a", middleware: [.immediate(first)], input: input, .immediate(handler))
        ])
        #expect(conversation.answer(to: "notes:/x?c").hasSuffix("/success?c&b=2%2C%2B&data=value"))
        #expect(conversation.answer(to: "notes:/x").hasSuffix("/success?b=2%2C%2B&data=value"))
    }

    @Test func middlewareMayChangeTheResponse() throws {
        let outer = Changing(response: { if case .success(let items) = $0 { $0 = .success(items + ["o"]) } })
        let inner = Changing(response: { if case .success(let items) = $0 { $0 = .success(items + ["i"]) } })
        var conversation = try Conversation([
            Route("notes:/a", middleware: [.immediate(outer), .immediate(inner)])
        ])
        #expect(conversation.answer(to: "notes:/a?h").hasSuffix("/success?h&i&o"))
    }

    @Test(arguments: ["x-success", "X-Foo", "x-", ""])
    func aResultWithAReservedNameIsTheHandlersFault(name: String) throws {
        var conversation = try Conversation([
            Route("notes:/a", .immediate(Fixed(.success([name: nil])))),
            Route("notes:/b", middleware: [.immediate(Changing(response: { $0 = .success([name: nil]) }))]),
        ])
        #expect(conversation.answer(to: "notes:/a").contains("errorCode=500"))
        #expect(conversation.answer(to: "notes:/b").contains("errorCode=500"))
    }

    @Test func theHandlerSeesWhoAskedAndHow() throws {
        let handler = Answering { request in
            .success([
                "uid": "\(request.peer.userID)", "origin": request.origin.rawValue, "source": request.source,
                "route": request.route, "url": request.url.received,
            ])
        }
        var conversation = try Conversation([Route("notes:/a/:b", .immediate(handler))])
        let answer = conversation.answer(to: "notes:/a/1?x-source=s", origin: .desktop)
        expect(
            try ActionURL(answer).items.texts,
            equals: [
                "uid=1000", "origin=desktop", "source=s", "route=notes:/a/:b", "url=notes:/a/1?x-source=s",
            ])
    }
}

/// The items, then items without values.
private func + (items: QueryItems, names: [String]) -> QueryItems {
    var items = items
    for name in names { items.append(name, nil) }
    return items
}
