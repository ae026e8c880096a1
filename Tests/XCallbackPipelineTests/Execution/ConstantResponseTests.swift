import Testing
import XCallbackPipeline
import XCallbackURL

/// Handlers that answer the same to every request.
struct ConstantResponseTests {
    /// What the answer says is told without asking the handler.
    private struct Constant: Handler {
        let constantResponse: Response?

        init(_ items: QueryItems) {
            constantResponse = .success(items)
        }

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

    private func conversation() throws -> Conversation {
        try Conversation([
            Route("notes:/a", .immediate(Constant(["k": "a"]))), Route("notes:/b", .immediate(Constant(["k": "b"]))),
            Route("notes:/added", middleware: [.immediate(Adding())], .immediate(Constant(["k": "c"]))),
            Route("notes:/nothing", .immediate(Constant([:]))), Route("notes:/stop", .immediate(Fixed(.cancel))),
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
