import TestSupport
import Testing
import XCallbackRouter
import XCallbackTesting
import XCallbackURL

/// The policies that inspect the process of the peer.
struct InspectingPolicyTests {
    /// Notes which process it inspected.
    private struct Inspecting: AsyncPolicy {
        let trace: Trace
        var end: CallbackError?

        func verify(_ request: Request, _ host: any StageHost) async -> Response? {
            let found = await host.inspect(request.peer) { verdict(on: $0) } ?? verdict(on: nil)
            return if case .failed(let error) = found { .error(error) } else { nil }
        }

        private func verdict(on process: Int32?) -> PolicyResult {
            trace.note("inspects \(process.map(String.init) ?? "none")")
            return end.map { .failed($0) } ?? .verified
        }
    }

    private let trace = Trace()
    private let refusal = CallbackError(.refused, "no")

    private func conversation(first: CallbackError? = nil, inspecting: CallbackError? = nil) throws -> Conversation {
        func policy(_ name: String, _ end: CallbackError? = nil) -> NamedStage<Route.PolicyStage> {
            NamedStage(.immediate(Tracing(trace, name, end: end.map { .error($0) })))
        }
        var stages = Route.Stages(handler: .immediate(Tracing(trace, "h")))
        stages.middleware = [NamedStage(.immediate(Tracing(trace, "m")))]
        var facts = StageFacts()
        facts.inspectsPeer = true
        stages.add(policy("p1", first))
        stages.add(NamedStage(.asynchronous(Inspecting(trace: trace, end: inspecting)), facts: facts))
        stages.add(policy("p2"))
        let route = Route(scheme: "notes", pattern: try RoutePattern("/a"), reach: .open, chain: Chain(stages))
        let there = Route.HandlerStage.asynchronous(AsyncClosure { _ in .redirect(try Callback("notes:/a")) })
        return try Conversation([route, Route("notes:/there", there)])
    }

    @Test func theyRunInTheirTurn() async throws {
        var conversation = try conversation()
        for action in ["a", "there"] {
            conversation.host.process = 7
            expect(await conversation.awaitedAnswer(to: "notes:/\(action)")) { $0.hasSuffix("/success") }
            #expect(
                trace.taken() == [
                    "m receives", "p1 verifies", "inspects 7", "p2 verifies", "h handles", "m finishes",
                ])
        }
    }

    @Test func aRefusalEndsTheRequest() async throws {
        var inspecting = try conversation(inspecting: refusal)
        expect(await inspecting.awaitedAnswer(to: "notes:/a")) { $0.contains("errorCode=403&errorMessage=no") }
        #expect(trace.taken() == ["m receives", "p1 verifies", "inspects none", "m finishes"])
        var before = try conversation(first: refusal)
        expect(await before.awaitedAnswer(to: "notes:/a")) { $0.contains("errorCode=403&errorMessage=no") }
        #expect(trace.taken() == ["m receives", "p1 verifies", "m finishes"])
    }
}
