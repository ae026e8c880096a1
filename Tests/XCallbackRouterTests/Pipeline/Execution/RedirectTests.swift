import TestSupport
import Testing
import XCallbackRouter
import XCallbackURL

struct RedirectTests {
    private static let errorAnswer = "xcallback://x-callback-url/error?errorCode="

    private static func route(_ address: String, to target: String) throws -> Route {
        try Route(address, .immediate(Fixed(.redirect(Callback(target)))))
    }

    private func conversation(allowed: [CallbackRules.Allowed]? = nil, hops: Int = 8) throws -> Conversation {
        let facts = Answering { request in
            var items = request.parameters
            items.append("origin", request.origin.rawValue)
            items.append("uid", "\(request.peer.userID)")
            items.append("source", request.source)
            items.append("data", request.data["key"] as? String)
            items.append("route", request.route)
            return .success(items)
        }
        let marking = Changing { $0.data["key"] = "left over" }
        return try Conversation(
            [
                Route("notes:/facts/:id", isPublic: false, .immediate(facts)),
                Route(
                    "notes:/in", middleware: [.immediate(marking)],
                    .immediate(Fixed(.redirect(Callback("notes:/facts/1?b=%26"))))),
                Self.route("notes:/twice", to: "notes:/in"), Self.route("notes:/loop", to: "notes:/loop"),
                Self.route("notes:/out", to: "app:/there?x-success=gone:&a=1#f"),
                Self.route("notes:/web", to: "https://example.org/a"), Self.route("notes:/bad", to: "data:a"),
                Self.route("notes:/nowhere", to: "notes:/none"), Self.route("notes:/broken", to: "notes:/a//b"),
                Self.route("notes:/odd", to: "notes://a:1/b"),
            ],
            allowed: allowed, maximumRedirects: hops)
    }

    @Test(arguments: ["notes:/in", "notes:/twice"])
    func aRouteOfItsOwnRunsWithTheTemplatesParametersAndTheSamePeer(text: String) throws {
        var conversation = try conversation()
        let answer = conversation.answer(to: "\(text)?dropped=1&x-source=s", origin: .desktop)
        expect(
            try ActionURL(answer).items.texts,
            equals: [
                "id=1", "b=&", "origin=internal", "uid=1000", "source=s", "data", "route=notes:/facts/:id",
            ])
    }

    @Test func theCallbacksOfTheReceivedURLHold() throws {
        var conversation = try conversation()
        #expect(conversation.answer(to: "notes:/twice?x-success=app:/s%3Fq").hasPrefix("app:/s?q&id=1&b=%26&"))
        #expect(conversation.answer(to: "notes:/nowhere?x-error=app:/e").hasPrefix("app:/e?errorCode=404&"))
    }

    @Test(arguments: [0, 1, 2, 8])
    func tooManyHopsAreALoop(hops: Int) throws {
        var conversation = try conversation(hops: hops)
        #expect(conversation.answer(to: "notes:/loop").hasPrefix("\(Self.errorAnswer)508&"))
        #expect(conversation.answer(to: "notes:/in").contains("errorCode=508") == (hops < 1))
        #expect(conversation.answer(to: "notes:/twice").contains("errorCode=508") == (hops < 2))
    }

    static let failures: [(String, Int)] = [("notes:/nowhere", 404), ("notes:/broken", 500), ("notes:/odd", 400)]

    @Test(arguments: failures)
    func aTargetThatCannotBeReachedIsAnError(text: String, code: Int) throws {
        var conversation = try conversation()
        #expect(conversation.answer(to: text).hasPrefix("\(Self.errorAnswer)\(code)&"))
        // The handler of the first route has not ended the request.
        #expect(!conversation.execution.isHandled)
    }

    @Test func anotherApplicationGetsTheItemsOfTheProtocol() throws {
        var conversation = try conversation()
        #expect(
            conversation.answer(to: "notes:/out?b=2&x-cancel=app:/c&x-source=s%26&x-success=app:/s%3Fd%3D1&X-Foo=1")
                == "app:/there?a=1&x-source=s%26&x-success=app%3A%2Fs%3Fd%3D1&x-cancel=app%3A%2Fc#f")
        #expect(conversation.answer(to: "notes:/out") == "app:/there?x-success=gone:&a=1#f")
    }

    static let reach: [(text: String, origin: Origin, allowed: [CallbackRules.Allowed]?, isReached: Bool)] = [
        ("notes:/out", .socket, nil, true), ("notes:/out", .desktop, nil, false),
        ("notes:/out", .desktop, [.scheme("app")], true), ("notes:/out", .socket, [.scheme("other")], false),
        ("notes:/web", .socket, nil, false), ("notes:/bad", .socket, nil, false),
        ("notes:/web", .socket, [.site(scheme: "https", authority: "example.org")], true),
    ]

    @Test(arguments: reach)
    func theRuleForCallbacksHoldsForAnotherApplication(
        text: String, origin: Origin, allowed: [CallbackRules.Allowed]?, isReached: Bool
    ) throws {
        var conversation = try conversation(allowed: allowed)
        let answer = conversation.answer(to: text, origin: origin)
        #expect(answer.hasPrefix("\(Self.errorAnswer)403&") != isReached)
    }

    @Test func theOriginThatWasReceivedCountsBehindARedirectWithin() throws {
        var conversation = try Conversation([
            Self.route("notes:/a", to: "notes:/b"), Self.route("notes:/b", to: "app:/c"),
        ])
        #expect(conversation.answer(to: "notes:/a") == "app:/c")
        #expect(conversation.answer(to: "notes:/a", origin: .desktop).hasPrefix("\(Self.errorAnswer)403&"))
    }

    /// A route of each kind that leads to the action in its parameter `to`, and one that leads to `/open`.
    private static func ledConversation() throws -> Conversation {
        let origin = Route.HandlerStage.immediate(Answering { .success(["origin": $0.origin.rawValue]) })
        let led = { @Sendable (request: Request) -> Response in
            let target = try? Callback("notes:/\(request.parameters["to"] ?? "")")
            return target.map { .redirect($0) } ?? .cancel
        }
        let fixed = Route.HandlerStage.immediate(Fixed(.redirect(try Callback("notes:/open"))))
        var replacing = Changing()
        replacing.response = { $0 = (try? Callback("notes:/private")).map { .redirect($0) } ?? .cancel }
        let answering = Tracing(Trace(), "a", end: .redirect(try Callback("notes:/open")))
        return try Conversation([
            Route("notes:/open", origin), Route("notes:/private", isPublic: false, origin),
            Route("notes:/fixed", .immediate(Fixed(.redirect(Callback("notes:/private"))))),
            Route("notes:/handler", .immediate(Answering(answer: led))),
            Route("notes:/async-handler", .asynchronous(AsyncClosure { led($0) })),
            Route("notes:/replaced", middleware: [.immediate(replacing)], fixed),
            Route("notes:/async-replaced", middleware: [.asynchronous(replacing)], fixed),
            Route("notes:/answered", middleware: [.immediate(answering)], fixed),
            Route("notes:/async-answered", middleware: [.asynchronous(answering)], fixed),
            Route("notes:/asked", asyncPolicies: [answering], fixed),
        ])
    }

    static let led: [(url: String, origin: String?)] = [
        ("notes:/fixed", "internal"), ("notes:/handler?to=open", "desktop"), ("notes:/handler?to=private", nil),
        ("notes:/async-handler?to=open", "desktop"), ("notes:/async-handler?to=private", nil),
        ("notes:/replaced", nil), ("notes:/async-replaced", nil), ("notes:/answered", "desktop"),
        ("notes:/async-answered", "desktop"), ("notes:/asked", "desktop"), ("notes:/handler?to=fixed", "internal"),
        ("notes:/handler?to=replaced", nil), ("notes:/handler?to=answered", "desktop"),
    ]

    @Test(arguments: led)
    func aTargetThatTheConfigurationDoesNotDecideKeepsTheOrigin(url: String, origin: String?) async throws {
        var conversation = try Self.ledConversation()
        let expected = origin.map { "xcallback://x-callback-url/success?origin=\($0)" }
        let answer = await conversation.awaitedAnswer(to: url, origin: .desktop)
        #expect(expected.map { answer == $0 } ?? answer.hasPrefix("\(Self.errorAnswer)403&"), "\(answer)")
        let trusted = await conversation.awaitedAnswer(to: url)
        #expect(trusted == "xcallback://x-callback-url/success?origin=internal")
        // An assistant is offered none of them.
        let offered = await conversation.awaitedAnswer(to: url, origin: .agent)
        #expect(offered.hasPrefix("\(Self.errorAnswer)403&"))
    }

    /// A router that receives for another one admits the request, not what its handlers make of it.
    @Test func whatIsAdmittedIsTheFirstRouteOnly() throws {
        var conversation = try Self.ledConversation()
        conversation.execution = Execution(peer: Conversation.peer, origin: .desktop, isAdmitted: true)
        for (url, isReached) in [("notes:/private", true), ("notes:/handler?to=private", false)] {
            #expect(conversation.answer(to: url, origin: .desktop).contains("/success") == isReached, "\(url)")
        }
    }

    @Test func middlewareOfBothRoutesIsEnteredAndFinished() throws {
        let trace = Trace()
        var conversation = try Conversation([
            Route(
                "notes:/a", middleware: [.immediate(Tracing(trace, "a"))],
                .immediate(Fixed(.redirect(Callback("notes:/b"))))),
            Route("notes:/b", middleware: [.immediate(Tracing(trace, "b"))]),
        ])
        #expect(conversation.answer(to: "notes:/a").hasSuffix("/success"))
        #expect(trace.taken() == ["a receives", "a finishes", "b receives", "b finishes"])
    }
}
