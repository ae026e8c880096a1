import Testing
import XCallbackPipeline
import XCallbackRouting
import XCallbackURL

/// Handlers that answer the same to every request.
struct ConstantResponseTests {
    /// Is never called, because its answer is known.
    private struct Constant: Handler {
        func handle(_ request: Request, _ state: inout PipelineState) -> Response { .cancel }
    }

    /// Adds an item on the way out.
    private struct Adding: Middleware {
        func receive(_ request: inout Request, _ state: inout PipelineState) -> MiddlewareResult { .proceed }

        func finish(_ request: Request, _ response: inout Response, _ state: inout PipelineState) {
            guard case .success(var items) = response else { return }
            items.append("added", "1")
            response = .success(items)
        }
    }

    private static func route(
        _ address: String, _ items: QueryItems, after middleware: [any Middleware] = []
    ) throws -> Route {
        var facts = StageFacts()
        facts.constantResponse = .success(items)
        var stages = Route.Stages(handler: NamedStage(.immediate(Constant()), facts: facts))
        stages.middleware = middleware.map { NamedStage(.immediate($0)) }
        return Route(scheme: "notes", pattern: try RoutePattern(address), stages: stages)
    }

    private func conversation() throws -> Conversation {
        try Conversation([
            Self.route("/a", ["k": "a"]), Self.route("/b", ["k": "b"]),
            Self.route("/added", ["k": "c"], after: [Adding()]),
            Self.route("/nothing", [:]), Route("notes:/stop", .immediate(Fixed(.cancel))),
        ])
    }

    private static let success = "xcallback://x-callback-url/success"

    @Test(arguments: [
        (["a", "a"], ["?k=a", "?k=a"]), (["a", "b", "b", "a"], ["?k=a", "?k=b", "?k=b", "?k=a"]),
        (["a", "nothing", "a"], ["?k=a", "", "?k=a"]),
    ])
    func eachRouteHasItsOwn(actions: [String], results: [String]) throws {
        var conversation = try conversation()
        for (action, result) in zip(actions, results) {
            #expect(conversation.answer(to: "notes:/\(action)") == Self.success + result)
        }
    }

    @Test func nothingIsKeptOfOtherOutcomes() throws {
        var conversation = try conversation()
        for _ in 0..<2 {
            #expect(conversation.answer(to: "notes:/a") == Self.success + "?k=a")
            #expect(conversation.answer(to: "notes:/stop") == "xcallback://x-callback-url/cancel")
            #expect(conversation.answer(to: "notes:/%").hasPrefix("xcallback://x-callback-url/error?errorCode=400"))
        }
    }

    @Test func whatMiddlewareAddsIsAddedOnce() throws {
        var conversation = try conversation()
        for _ in 0..<3 { #expect(conversation.answer(to: "notes:/added") == Self.success + "?k=c&added=1") }
    }
}
