import Testing
import XCallbackPipeline
import XCallbackRouting
import XCallbackURL

/// The policies that look into the process of the peer.
struct LookingPolicyTests {
    /// Notes into which process it looked.
    private struct Looking: PeerPolicy {
        let trace: Trace
        var end: CallbackError?

        func verify(_ request: Request, process: Int32?) -> PolicyResult {
            trace.note("looks into \(process.map(String.init) ?? "none")")
            return end.map { .failed($0) } ?? .verified
        }
    }

    private struct OneProcess: PeerReader {
        func groups(of peer: Peer) -> [UInt32]? { nil }

        func look<Fact: Sendable>(
            into peer: Peer, _ body: @escaping @Sendable (Int32) -> Fact, done: @escaping @Sendable (Fact?) -> Void
        ) { done(body(7)) }
    }

    private let trace = Trace()
    private let refusal = CallbackError(.refused, "no")

    private func conversation(first: CallbackError? = nil, looking: CallbackError? = nil) throws -> Conversation {
        func policy(_ name: String, _ end: CallbackError? = nil) -> NamedStage<Route.PolicyStage> {
            NamedStage(.immediate(Tracing(trace, name, end: end.map { .error($0) })))
        }
        var stages = Route.Stages(handler: .immediate(Tracing(trace, "h")))
        stages.middleware = [NamedStage(.immediate(Tracing(trace, "m")))]
        stages.policies = [
            policy("p1", first), NamedStage(.looking(Looking(trace: trace, end: looking))), policy("p2"),
        ]
        let route = Route(scheme: "notes", pattern: try RoutePattern("/a"), reach: .open, stages: stages)
        let there = Route.HandlerStage.asynchronous(AsyncClosure { _ in .redirect(try Callback("notes:/a")) })
        return try Conversation([route, Route("notes:/there", there)])
    }

    @Test func theyAreAskedInTheirTurn() async throws {
        var conversation = try conversation()
        for action in ["a", "there"] {
            conversation.state.peers = OneProcess()
            #expect(await conversation.awaitedAnswer(to: "notes:/\(action)").hasSuffix("/success"))
            #expect(
                trace.taken() == [
                    "m receives", "p1 verifies", "looks into 7", "p2 verifies", "h handles", "m finishes",
                ])
        }
    }

    @Test func whereNothingLooksNoProcessIsKnown() async throws {
        var conversation = try conversation()
        _ = await conversation.awaitedAnswer(to: "notes:/a")
        #expect(trace.taken().contains("looks into none"))
    }

    @Test func aRefusalEndsTheRequest() async throws {
        var looking = try conversation(looking: refusal)
        #expect(await looking.awaitedAnswer(to: "notes:/a").contains("errorCode=403&errorMessage=no"))
        #expect(trace.taken() == ["m receives", "p1 verifies", "looks into none", "m finishes"])
        var before = try conversation(first: refusal)
        #expect(await before.awaitedAnswer(to: "notes:/a").contains("errorCode=403&errorMessage=no"))
        #expect(trace.taken() == ["m receives", "p1 verifies", "m finishes"])
    }

    @Test func aTimeOutWhileOneLooksEndsTheRequest() async throws {
        var conversation = try conversation()
        let answer = await conversation.interruptedAnswer(to: "notes:/a", after: 0, with: .cancel)
        #expect(answer.hasSuffix("/cancel"))
        #expect(trace.taken() == ["m receives", "p1 verifies", "m finishes"])
    }
}
