import TestSupport
import Testing
import XCallbackRouter
import XCallbackURL

struct ExplanationTests {
    private static func explain(
        _ text: String, _ routes: [Route], origin: Origin = .socket
    ) throws -> Explanation {
        try Conversation(routes).pipeline.explain(text.utf8.span, from: Conversation.peer, origin: origin)
    }

    private static func redirect(to url: String) throws -> Route.HandlerStage {
        .immediate(Tracing(Trace(), "redirect", end: .redirect(try Callback(url))))
    }

    @Test func noStageRunsOrSeesTheSecret() throws {
        let trace = Trace()
        let stage = Tracing(trace, "a note")
        let route = try Route(
            "notes:/a", middleware: [.immediate(stage), .asynchronous(stage)], policies: [stage, Tracing(trace, "p")],
            secret: Secret(Array("s3cret".utf8), in: "token", at: 0),
            input: Input([.init(name: "n", rule: ParameterRule(type: .boolean))]), asyncPolicies: [stage],
            .asynchronous(Tracing(trace, "a note", end: .cancel)))
        let explanation = try Self.explain("notes:/a?token=s3cret&n=YES", [route])
        #expect(trace.taken() == [])
        #expect(explanation.response == .cancel)
        let stages = try #require(explanation.hops.first).stages
        #expect(stages.map(\.kind) == [.middleware, .middleware, .policy, .policy, .input, .policy, .handler])
        #expect(stages.map(\.plan.text) == ["a note", "a note", "a note", "p", "", "a note", "a note"])
        // The policies that ask, and the handler, get the decoded input; no stage gets the secret.
        #expect(stages.first?.plan.command == ["n=YES"])
        #expect(stages.last?.plan.command == ["n=true"])
    }

    @Test func wrongInputIsAnErrorUnlessMiddlewareCanChangeIt() throws {
        let input = Input([.init(name: "n", rule: ParameterRule(type: .integer))])
        let error = CallbackError(.badParameter, "Parameter 'n' is missing.")
        let route = try Route("notes:/a", input: input)
        expect(try Self.explain("notes:/a", [route]).response, equals: .error(error))
        let changed = try Route("notes:/a", middleware: [.immediate(Changing { _ in })], input: input)
        expect(try Self.explain("notes:/a", [changed]).response, equals: nil)
    }

    @Test func redirectsAreFollowedHopByHop() throws {
        let routes = [
            try Route("notes:/a/:x", Self.redirect(to: "notes:/b?k=v")),
            try Route("notes:/b", isPublic: false, Self.redirect(to: "app:/c")),
            try Route("notes:/loop", Self.redirect(to: "notes:/loop")),
            try Route("notes:/configured", .immediate(Fixed(.redirect(Callback("notes:/b"))))),
        ]
        let explanation = try Self.explain("notes:/a/1?x-success=app:/s&x-source=me", routes)
        #expect(explanation.hops.map(\.url) == ["notes:/a/1?x-success=app:/s&x-source=me", "notes:/b?k=v"])
        #expect(explanation.hops.map(\.origin) == [.socket, .internal])
        #expect(explanation.hops.map { $0.route?.name } == ["notes:/a/:x", "notes:/b"])
        #expect(explanation.hops.map { $0.captures.texts } == [["x=1"], []])
        #expect(explanation.response?.kind == .redirect)
        let configured = try Self.explain("notes:/configured", routes, origin: .desktop)
        #expect(configured.hops.map(\.origin) == [.desktop, .internal])
        // A web page may have written the target.
        let other = try Self.explain("notes:/a/1", routes, origin: .desktop)
        #expect(other.hops.map(\.origin) == [.desktop, .desktop])
        #expect(other.response?.kind == .error)
        let loop = try Self.explain("notes:/loop", routes)
        #expect(loop.hops.count == 9)
        #expect(loop.response == .error(CallbackError(.loop, "The action was redirected more than 8 times.")))
    }

    @Test func aFaultOfTheURLEndsItBeforeAnyRoute() throws {
        let routes = [try Route("notes:/a")]
        for text in ["notes:/%zz?x-error=app:/e", "notes:/a?x-success=data:&x-error=app:/e"] {
            let explanation = try Self.explain(text, routes)
            #expect(explanation.hops.isEmpty)
            let isMalformed =
                if case .error(let error)? = explanation.response { error.code == .malformed } else { false }
            #expect(isMalformed, "\(text)")
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
        #expect(hop.candidates[1].reason == "notes:/a/b7/c is more specific")
        #expect(hop.candidates[3].reason == "it has 'b0' where the URL has 'b7'")
    }

    static let reasons = [
        ("notes:/a", "notes:/", "the URL ends before 'a'"), ("notes:/a", "notes:/a/b", "the URL goes on with 'b'"),
        ("notes:/a/*path/end", "notes:/a/b/c", "the URL does not fit '*path/end' from 'b' on"),
        ("notes:/:n", "notes:/x", "'n' must be a whole number"),
        (
            "notes:/a", "notes:/\(String(repeating: "b", count: 100))",
            "it has 'a' where the URL has '\(String(repeating: "b", count: 64))…'"
        ),
    ]

    @Test(arguments: reasons)
    func eachMismatchIsReported(route: String, url: String, reason: String) throws {
        let input = Input([.init(name: "n", rule: ParameterRule(type: .integer))])
        let explanation = try Self.explain(url, [try Route(route, input: route.contains(":n") ? input : Input([]))])
        #expect(explanation.hops.first?.candidates.first?.reason == reason)
    }

    @Test func onlyANumberOfRoutesIsComparedForTheClosestOne() throws {
        let pipeline = try Conversation((0..<300).map { try Route("notes:/r\($0)") }).pipeline
        #expect(pipeline.nearRoutes(to: try ActionURL("notes:/a")).count == 256)
        #expect(pipeline.nearRoutes(to: try ActionURL("notes:/" + String(repeating: "a", count: 4096))).isEmpty)
        #expect(pipeline.nearRoutes(to: try ActionURL("other:/a")).isEmpty)
    }

    /// What depends on the time, for example, says nothing of the client.
    @Test func aPolicyThatChecksMoreThanTheClientHidesNoRoute() throws {
        var stages = Route.Stages(handler: .immediate(Echo()))
        let refusing = Tracing(Trace(), "p", end: .error(.internalFailure))
        stages.policies = [NamedStage(.immediate(refusing), facts: StageFacts { $0.passesWebPages = true })]
        let route = Route(scheme: "notes", pattern: try RoutePattern("/a"), chain: Chain(stages))
        #expect(Viewer(Conversation.peer, groups: nil).sees(route))
    }
}
