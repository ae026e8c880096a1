import TestSupport
import Testing
import XCallbackRouter
import XCallbackURL

@Suite(.timeLimit(.minutes(10)))
struct AsyncStageTests {
    private struct Unknown: Error {}
    private struct Known: CallbackErrorConvertible {
        var callbackError: CallbackError { CallbackError(.unavailable, "Nobody is there.") }
    }

    private let trace = Trace()
    private let late = Response.error(CallbackError(.timedOut, "late"))

    private func stage(_ name: String, end: Response? = nil) -> Tracing { Tracing(trace, name, end: end) }

    private func traced() throws -> Conversation {
        try Conversation([
            Route(
                "notes:/a",
                middleware: [.immediate(stage("m1")), .asynchronous(stage("m2")), .immediate(stage("m3"))],
                policies: [stage("p")], asyncPolicies: [stage("q1"), stage("q2")], .asynchronous(stage("h")))
        ])
    }

    @Test func stagesThatWaitRunInTheirPlaces() async throws {
        var conversation = try traced()
        expect(await conversation.awaitedAnswer(to: "notes:/a")) { $0.hasSuffix("/success") }
        #expect(
            trace.taken() == [
                "m1 receives", "m2 receives", "m3 receives", "p verifies", "q1 asks", "q2 asks", "h handles",
                "m3 finishes", "m2 finishes", "m1 finishes",
            ])
    }

    static let interruptions: [(Int, [String])] = [
        (0, ["m1 receives", "m1 finishes"]),
        (1, ["m1 receives", "m2 receives", "m3 receives", "p verifies", "m3 finishes", "m1 finishes"]),
        (2, ["m1 receives", "m2 receives", "m3 receives", "p verifies", "q1 asks", "m3 finishes", "m1 finishes"]),
        (
            4,
            [
                "m1 receives", "m2 receives", "m3 receives", "p verifies", "q1 asks", "q2 asks", "h handles",
                "m3 finishes", "m1 finishes",
            ]
        ),
    ]

    @Test(arguments: interruptions)
    func anInterruptedExecutionIsSeenByTheMiddlewareThatDoesNotWait(count: Int, stages: [String]) async throws {
        var conversation = try traced()
        let answer = await conversation.interruptedAnswer(to: "notes:/a?x-error=app:/e", after: count, with: late)
        #expect(answer == "app:/e?errorCode=504&errorMessage=late")
        #expect(trace.taken() == stages)
    }

    @Test func anExecutionThatWasInterruptedIsReadyForTheNextRequest() async throws {
        var conversation = try traced()
        _ = await conversation.interruptedAnswer(to: "notes:/a", after: 4, with: .cancel)
        _ = trace.taken()
        expect(await conversation.awaitedAnswer(to: "notes:/a")) { $0.hasSuffix("/success") }
        #expect(trace.taken().count == 10)
    }

    @Test func whatAnInterruptionEndsInMayBeChangedByMiddleware() async throws {
        let changing = Changing(response: { $0 = .cancel })
        var conversation = try Conversation([
            Route("notes:/a", middleware: [.immediate(changing)], .asynchronous(stage("h")))
        ])
        expect(await conversation.interruptedAnswer(to: "notes:/a", after: 0, with: late)) { $0.hasSuffix("/cancel") }
    }

    @Test func anErrorIsReportedAsFarAsAllowed() async throws {
        var conversation = try Conversation([
            Route("notes:/known", .asynchronous(AsyncClosure { _ in throw Known() })),
            Route("notes:/unknown", .asynchronous(AsyncClosure { _ in throw Unknown() })),
        ])
        #expect(
            await conversation.awaitedAnswer(to: "notes:/known").hasSuffix(
                "errorCode=503&errorMessage=Nobody%20is%20there."))
        #expect(
            await conversation.awaitedAnswer(to: "notes:/unknown").hasSuffix(
                "errorCode=500&errorMessage=The%20handler%20failed."))
    }

    @Test func middlewareThatWaitsChangesParametersAndDataOnly() async throws {
        let changing = Changing { request in
            request.parameters.append("b", "2")
            request.data["key"] = "value"
            request.origin = .internal
            request.peer = Peer(userID: 0, groupID: 0, processID: 0)
            request.url = ActionURL()
        }
        let facts = Answering { request in
            var items = request.parameters
            items.append("data", request.data["key"] as? String)
            items.append("origin", request.origin.rawValue)
            items.append("uid", "\(request.peer.userID)")
            items.append("url", request.url.received)
            return .success(items)
        }
        var conversation = try Conversation([
            Route("notes:/a", middleware: [.asynchronous(changing)], .immediate(facts))
        ])
        let answer = await conversation.awaitedAnswer(to: "notes:/a?c=1")
        expect(
            try ActionURL(answer).items.texts,
            equals: [
                "c=1", "b=2", "data=value", "origin=socket", "uid=1000", "url=notes:/a?c=1",
            ])
    }
}
