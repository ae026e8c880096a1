import TestSupport
import Testing
import XCallbackBuiltIns
import XCallbackRouter
import XCallbackTesting
import XCallbackURL

/// What the daemon's own user is told about a request that the daemon has refused.
struct RequestCauseTests {
    private static let routes = """
        - route: notes:/add
          input: { title: string, count: { type: int, default: "1", max: 9 } }
          respond:
        - route: notes:/:from-:to
          input: { from: int, to: int }
          respond:
        - route: notes:/files{/:folder}/list
          respond:
        - route: notes:/files/*path/end
          respond:
        """

    private static func cause(_ error: CallbackError, _ url: String, route: String? = nil) throws -> String? {
        let pipeline = try Configured(routes: routes).configuration.pipeline
        var execution = Execution(peer: Configured.peer, origin: .socket)
        let host = TestHost()
        execution.begin(url.utf8.span, as: nil, from: Configured.peer, origin: .socket, in: pipeline).abandon()
        _ = execution.advance(in: pipeline, host)
        return pipeline.cause(of: error, for: execution.request)
    }

    static let closest: [(url: String, cause: String?)] = [
        ("notes:/adds", "the closest route is notes:/add, but it has 'add' where the URL has 'adds'"),
        (
            "notes:/1-x",
            "the closest route is notes:/:from-:to, but 'from' must be a whole number and 'to' must be a whole number"
        ),
        (
            "notes:/files/list/lits",
            "the closest route is notes:/files{/:folder}/list, but it has 'list' where the URL has 'lits'"
        ),
        ("notes:/quite/different", nil), ("notes:/", nil),
    ]

    @Test(arguments: closest)
    func theClosestRouteIsNamed(url: String, cause: String?) throws {
        expect(try Self.cause(.unknownAction, url), equals: cause)
    }

    static let texts: [(pattern: String, url: String, reason: String)] = [
        ("*x", "t://", "the URL ends before '*x'"), ("/*x", "t://", "the URL ends before '/*x'"),
        ("/*x", "t://b", "it has '/*x' where the URL has 'b'"), ("a*x", "t://b", "it has 'a*x' where the URL has 'b'"),
        ("//a*x", "t:b", "it has '//a*x' where the URL has 'b'"),
    ]

    @Test(arguments: texts)
    func aTextThatNoRouteAnswersIsComparedWithoutItsSlashes(pattern: String, url: String, reason: String) throws {
        let pipeline = try Configured(
            "schemes: { t: { syntax: text } }\nroutes: [{ route: 't:\(pattern)', public: true, respond: }]"
        ).configuration.pipeline
        let explanation = pipeline.explain(url.utf8.span, from: Configured.peer, origin: .desktop)
        #expect(explanation.hops.first?.candidates.first?.reason == reason)
        var execution = Execution(peer: Configured.peer, origin: .desktop)
        execution.begin(url.utf8.span, as: nil, from: Configured.peer, origin: .desktop, in: pipeline).abandon()
        #expect(pipeline.cause(of: .unknownAction, for: execution.request) == nil)
    }

    static let foreign: [(scheme: String, pattern: String, url: String, cause: String?)] = [
        ("ssh", "/:host", "ssh://ann@host:22", "'ssh: { syntax: url }' under 'schemes' reads such URLs"),
        ("own", "/:host", "own://host:22", "'own: { syntax: url }' under 'schemes' reads such URLs"),
        ("mpv", "/*link", "mpv://https://host/x", "'mpv: { syntax: text }' under 'schemes' reads such URLs"),
        ("own", "/*link", "own:https://host/x", "'own: { syntax: text }' under 'schemes' reads such URLs"),
        ("tel", "/a", "tel:5", "'tel: { syntax: text }' under 'schemes' reads such URLs"),
        ("own", "/a", "own:/a//b", nil), ("own", "/a", "own:/b", nil), ("own", "/a", "own:/a?x-success=%", nil),
        (
            "git+ssh: { syntax: url }", "//*rest", "git+ssh://git@host:org/repo",
            "'git+ssh: { syntax: text }' under 'schemes' takes any text"
        ),
        ("own: { syntax: url }", "{*rest}", "own://add", "own:{*rest} matches no URL with '//': write own://{*rest}"),
        ("own: { syntax: url }", "//*rest", "own:add", "own://*rest matches no URL without '//': write own:*rest"),
        ("own: { syntax: url }", "//host/*rest", "own:add", nil),
    ]

    @Test(arguments: foreign)
    func aLinkOfAnotherProgramNamesTheSetting(scheme: String, pattern: String, url: String, cause: String?) throws {
        let name = scheme.prefix { $0 != ":" }
        let text = "schemes: { \(scheme.contains(":") ? scheme : "\(scheme): {}") }\n"
        let pipeline = try Configured("\(text)routes: [{ route: '\(name):\(pattern)', respond: }]").configuration
            .pipeline
        var execution = Execution(peer: Configured.peer, origin: .socket)
        execution.begin(url.utf8.span, as: nil, from: Configured.peer, origin: .socket, in: pipeline).abandon()
        _ = execution.advance(in: pipeline, TestHost())
        guard case .error(let error) = execution.response else { throw TestFailure("\(url) is answered") }
        let found = pipeline.cause(of: error, for: execution.request)
        #expect(found == cause)
        let explained = pipeline.explain(url.utf8.span, from: Configured.peer, origin: .socket)
        #expect(explained.hints == (cause.map { [$0] } ?? []))
    }

    @Test func aSchemeThatNoActionHasIsNamed() throws {
        expect(
            try Self.cause(.unknownScheme, "note:/add"),
            equals: "no action has the scheme 'note'; did you mean 'notes'?")
        let long = String(repeating: "s", count: 100)
        expect(try Self.cause(.unknownScheme, "\(long):/add"), equals: "no action has the scheme '\(long.prefix(64))…'")
    }

    @Test func theRouteThatRefusesAParameterIsNamed() throws {
        let error = CallbackError(.badParameter, "Parameter 'title' is missing.")
        expect(
            try Self.cause(error, "notes:/add?titel=x"),
            equals: "the route is notes:/add: parameter 'titel' is not declared; did you mean 'title'?")
        expect(try Self.cause(error, "notes:/add?title=x&count=10"), equals: "the route is notes:/add")
    }

    @Test func theLineThatLetsAPasswordPassIsNamed() throws {
        var configured = try Configured(
            """
            schemes: { ssh: { syntax: url } }
            routes:
              - { route: "ssh://:host", respond: {} }
              - { route: "ssh://:host/open", input: { "@password": { required: false } }, respond: { p: "{@password}" } }
            """)
        let answer = configured.answer(to: "ssh://ann:x@host")
        #expect(answer.contains("errorCode=400&errorMessage=This%20action%20takes%20no%20URL%20with%20a%20password."))
        #expect(configured.answer(to: "ssh://ann:x@host/open") == "xcallback://x-callback-url/success?p=x")
        var execution = Execution(peer: Configured.peer, origin: .socket)
        let host = TestHost()
        let pipeline = configured.configuration.pipeline
        execution.begin("ssh://ann:x@host".utf8.span, as: nil, from: Configured.peer, origin: .socket, in: pipeline)
            .abandon()
        _ = execution.advance(in: pipeline, host)
        #expect(
            pipeline.cause(of: .passwordNotDeclared, for: execution.request)
                == "the route is ssh://:host: to take passwords, write \"@password\": { required: false } under its 'input'"
        )
    }

    @Test func otherErrorsHaveNoRoute() throws {
        expect(try Self.cause(.privateRouteForTests, "notes:/add"), equals: nil)
        expect(try Self.cause(CallbackError(.unknownAction, "This note does not exist."), "notes:/ad"), equals: nil)
    }
}

extension CallbackError {
    fileprivate static let privateRouteForTests = CallbackError(.refused, "This action is private.")
}
