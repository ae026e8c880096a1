import Testing
import XCallbackPipeline
import XCallbackURL

struct ExplanationTests {
    /// A stage of every kind that tells what it would do, and must not be asked for anything else.
    private struct Rehearsed: Middleware, Policy, Handler, AsyncMiddleware, AsyncPolicy, AsyncHandler,
        RehearsedStage
    {
        let trace: Trace
        var outcome = Rehearsal.Outcome.proceeds

        func rehearse(_ request: inout Request, _ state: inout PipelineState) -> Rehearsal {
            request.data["key"] = "rehearsed"
            return Rehearsal(outcome, notes: ["a note"], command: ["program"])
        }

        private func asked<Result>(_ result: Result) -> Result {
            trace.note("asked")
            return result
        }

        func receive(_ request: inout Request, _ state: inout PipelineState) -> Step { asked(.proceed) }
        func receive(_ request: inout Request) async -> Step { asked(.proceed) }
        func finish(_ request: Request, _ response: inout Response, _ state: inout PipelineState) { asked(()) }
        func finish(_ request: Request, _ response: inout Response) async { asked(()) }
        func verify(_ request: Request, _ state: inout PipelineState) -> Verdict { asked(.verified) }
        func verify(_ request: Request) async -> Response? { asked(nil) }
        func handle(_ request: Request, _ state: inout PipelineState) -> Response { asked(.cancel) }
        func handle(_ request: Request) async throws -> Response { asked(.cancel) }
    }

    private static func explain(
        _ text: String, _ routes: [Route], origin: Origin = .socket
    ) throws -> Explanation {
        try Conversation(routes).pipeline.explain(text.utf8.span, from: Conversation.peer, origin: origin)
    }

    @Test func anExplanationThatIsCancelledEndsEarly() async throws {
        let routes = try (0..<10).map { try Route("notes:/r\($0)") }
        #expect(try Self.explain("notes:/r1", routes).hops.first?.candidates.count == 10)
        let cancelled = try await Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try Self.explain("notes:/r1", routes)
        }.value
        #expect(cancelled.hops.first?.candidates.isEmpty == true)
    }

    @Test func stagesThatRehearseAreNotAsked() throws {
        let trace = Trace()
        let stage = Rehearsed(trace: trace)
        let explanation = try Self.explain(
            "notes:/a",
            [
                Route(
                    "notes:/a", middleware: [.immediate(stage), .asynchronous(stage)], policies: [stage],
                    asyncPolicies: [stage], .asynchronous(Rehearsed(trace: trace, outcome: .ends(.cancel))))
            ])
        #expect(trace.taken() == [])
        #expect(explanation.response == .cancel)
        #expect(explanation.isCertain)
        let stages = try #require(explanation.hops.first).stages
        #expect(stages.map(\.kind) == [.middleware, .middleware, .policy, .policy, .handler])
        #expect(stages.map(\.changes) == [["sets the data 'key' to rehearsed"], [], [], [], []])
        #expect(stages.allSatisfy { $0.rehearsal.notes == ["a note"] && $0.rehearsal.command == ["program"] })
    }

    @Test func stagesThatWaitAndDoNotRehearseAreOpen() throws {
        let trace = Trace()
        let stage = Tracing(trace, "stage", end: .error(.internalFailure))
        let explanation = try Self.explain(
            "notes:/a?x-success=app:/s",
            [
                Route(
                    "notes:/a", middleware: [.asynchronous(stage)], asyncPolicies: [stage],
                    .immediate(Fixed(.success(["k": "v"])))), Route("notes:/b", .asynchronous(stage)),
            ])
        #expect(trace.taken() == [])
        #expect(explanation.response == .success(["k": "v"]))
        #expect(!explanation.isCertain)
        #expect(explanation.answers.map(\.url).first == "app:/s?k=v")
        let other = try Self.explain("notes:/b?x-success=app:/s", [Route("notes:/b", .asynchronous(stage))])
        #expect(other.response == nil)
        #expect(
            other.answers.map(\.url) == [
                "app:/s", "xcallback://x-callback-url/error", "xcallback://x-callback-url/cancel",
            ])
        #expect(other.answers.map(\.isComplete) == [false, false, true])
        #expect(trace.taken() == [])
    }

    @Test func allPoliciesAreAskedAndTheFirstFailureCounts() throws {
        let trace = Trace()
        let first = CallbackError(.refused, "first")
        let explanation = try Self.explain(
            "notes:/a",
            [
                Route(
                    "notes:/a",
                    policies: [
                        Tracing(trace, "a"), Tracing(trace, "b", end: .error(first)),
                        Tracing(trace, "c", end: .error(.internalFailure)),
                    ], .immediate(Tracing(trace, "handler")))
            ])
        #expect(explanation.response == .error(first))
        #expect(trace.taken() == ["a verifies", "b verifies", "c verifies"])
        #expect(explanation.hops.first?.parameters == nil)
    }

    @Test func middlewareSeesTheResponseAndWhatItChangesIsTold() throws {
        let trace = Trace()
        var changing = Changing { $0.parameters.removeAll(named: "a") }
        changing.response = { $0 = .cancel }
        let explanation = try Self.explain(
            "notes:/a?a=1&b=2",
            [Route("notes:/a", middleware: [.immediate(changing), .immediate(Tracing(trace, "inner"))])])
        #expect(trace.taken() == ["inner receives", "inner finishes"])
        #expect(explanation.response == .cancel)
        let hop = try #require(explanation.hops.first)
        #expect(hop.stages.map(\.changes) == [["removes the parameter 'a'"], [], [], ["the response, on its way out"]])
        #expect(hop.parameters?.texts == ["b=2"])
    }

    @Test func redirectsAreFollowedHopByHop() throws {
        let routes = [
            try Route("notes:/a/:x", .immediate(Fixed(.redirect(Callback("notes:/b?k=v"))))),
            try Route("notes:/b", isPublic: false, .immediate(Fixed(.redirect(Callback("app:/c"))))),
        ]
        let explanation = try Self.explain("notes:/a/1?x-success=app:/s&x-source=me", routes)
        #expect(explanation.hops.map(\.url) == ["notes:/a/1?x-success=app:/s&x-source=me", "notes:/b?k=v"])
        #expect(explanation.hops.map(\.origin) == [.socket, .internal])
        #expect(explanation.hops.map { $0.route?.name } == ["notes:/a/:x", "notes:/b"])
        #expect(explanation.hops.map { $0.captures.texts } == [["x=1"], []])
        #expect(explanation.answers.map(\.url) == ["app:/c?x-source=me&x-success=app%3A%2Fs"])
        let other = try Self.explain("notes:/a/1", routes, origin: .desktop)
        #expect(other.response?.kind == .error)
        #expect(other.hops.count == 2)
    }

    @Test func aFaultOfTheURLEndsItBeforeAnyRoute() throws {
        let routes = [try Route("notes:/a")]
        for (text, code) in [("notes:/%zz?x-error=app:/e", 400), ("notes:/a?x-success=data:&x-error=app:/e", 400)] {
            let explanation = try Self.explain(text, routes)
            #expect(explanation.hops.isEmpty)
            #expect(explanation.fault?.code.rawValue == code)
            #expect(explanation.answers.map(\.outcome) == [.error])
            #expect(explanation.answers.allSatisfy { $0.url.hasPrefix("app:/e?errorCode=400&") })
        }
    }

    @Test func candidatesAreInTheOrderOfTheirNearnessAndBounded() throws {
        let routes =
            try (0..<150).map { try Route("notes:/a/b\($0)/c") } + [Route("notes:/a/:x/:y"), Route("notes:/a/b7/*z")]
        let hop = try #require(try Self.explain("notes:/a/b7/c", routes).hops.first)
        #expect(hop.candidates.prefix(3).map(\.route.name) == ["notes:/a/b7/c", "notes:/a/:x/:y", "notes:/a/b7/*z"])
        #expect(hop.candidates.prefix(4).map(\.verdict) == [.answers, .outranked, .outranked, .differs])
        #expect(hop.candidates.count == Explanation.candidateLimit)
        #expect(hop.omittedCount == 52)
        #expect(hop.candidates[0].reason == nil)
        #expect(
            hop.candidates[1].reason
                == "it is less specific than notes:/a/b7/c: segment 2 is a capture, there it is text")
        #expect(hop.candidates[3].reason == "segment 2 is 'b7', expected 'b0'")
    }

    @Test func whatAnswersInsteadOfARouteIsNoRoute() throws {
        let explanation = try Self.explain("notes:/b", [Route("notes:/a")])
        #expect(explanation.response == .error(.unknownAction))
        #expect(explanation.hops.map { $0.route == nil } == [true])
    }
}
