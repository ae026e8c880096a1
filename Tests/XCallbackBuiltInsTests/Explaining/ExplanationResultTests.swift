import Glibc
import TestSupport
import Testing
import XCallbackBuiltIns
import XCallbackRouter
import XCallbackTesting
import XCallbackURL
import XCallbackWire

/// The first line of an explanation, and what it says about each stage.
struct ExplanationResultTests {
    private static let routes = """
        - route: notes:/start/:minutes
          input: { minutes: int, label: { type: string, default: tea } }
          policies: [{ rate: 10/m }, { confirm: "Start {minutes}?" }]
          exec: [timer, start, "{minutes}", --, "{label}"]
        - route: notes:/stop
          exec: [timer, stop]
          detach: true
        - route: notes:/see/:minutes
          public: true
          input: { minutes: int }
          redirect: "notes:/start/{minutes}"
        - route: notes:/out/:name
          redirect: "app:/there/{name}"
        - route: notes:/pong/:name
          public: true
          policies: [{ user: [4711, 4712] }]
          respond: { pong: "{name}" }
        - route: notes:/guarded
          policies: [{ source: editor }, { require: { mode: [read] } }, { origin: socket }, { rate: 10/m }]
          respond: { all: "{mode}" }
          input: { mode: { type: string, default: read } }
        - route: notes:/changed
          middleware: [{ rename: { how: mode } }]
          policies: [{ require: mode }]
          respond: { all: "{@query}" }
        - route: notes:/empty
          respond:
        - route: notes:/edit
          deliver: editor
          wait: 90s
        - route: notes:/saved
          publish: saved
        - route: notes:/renamed
          middleware: [{ rename: { body: text } }]
          input: { text: string }
          exec: [echo, --, "{text}"]
        """

    private static func json(
        _ url: String, origin: Origin = .socket, showsAll: Bool = true
    ) throws -> (code: Int?, result: String?, stages: String) {
        let pipeline = try Configured(routes: routes).configuration.pipeline
        let viewer = showsAll ? nil : Viewer(Configured.peer, groups: nil)
        let json = pipeline.explain(url.utf8.span, from: Configured.peer, origin: origin).json(for: viewer)
        let stages = json["hops"]?.elements?.last?["stages"].map { "\($0)" } ?? ""
        return (json["code"]?.integer, json["result"]?.text, stages)
    }

    static let results: [(url: String, code: Int?, result: String)] = [
        ("notes:/start/5", nil, "runs timer start 5 -- tea, if policies 'rate' and 'confirm' allow it"),
        ("notes:/see/5", nil, "runs timer start 5 -- tea, if policies 'rate' and 'confirm' allow it"),
        ("notes:/stop", nil, "runs timer stop"), ("notes:/out/a%2Fb", nil, "redirects to app:/there/a%2Fb"),
        ("notes:/pong/a", nil, "answers pong=a, if policy 'user' allows it"), ("notes:/empty", nil, "answers"),
        // The verdict of a policy that looks only at the request is known.
        ("notes:/guarded?mode=read&x-source=editor", nil, "answers all=read, if policy 'rate' allows it"),
        ("notes:/guarded?mode=write&x-source=editor", 403, "Policy 'require' refuses the request"),
        ("notes:/guarded?mode=read", 403, "Policy 'source' refuses the request: x-source is missing."),
        ("notes:/guarded?mode=read&x-source=other", 403, "Policy 'source' refuses the request"),
        ("notes:/changed?mode=a", nil, "answers all=mode=a, if policy 'require' allows it"),
        ("notes:/edit", nil, "the client that receives as 'editor' answers; without one, the request waits 90s"),
        ("notes:/saved", nil, "all subscribers of 'saved' get the parameters"),
        ("notes:/start/five", 404, "the closest route is notes:/start/:minutes, but 'minutes' must be a whole number"),
        (
            "notes:/strat/5", 404,
            "the closest route is notes:/start/:minutes, but it has 'start' where the URL has 'strat'"
        ),
        ("notes:/quite/different", 404, "No route answers this action."),
        ("note:/stop", 404, "no action has the scheme 'note'; did you mean 'notes'?"),
        ("notes:/start/5?label=-x&label=y", 422, "Parameter 'label' is given more than once."),
        ("notes:/stop?x-success=data:x", 400, "The callback in 'x-success' has a scheme or host"),
        // Middleware can still name the parameter.
        ("notes:/renamed", nil, "runs a program"), ("notes:/renamed?text=a", nil, "runs echo -- a"),
    ]

    @Test(arguments: results)
    func theResultComesFirst(url: String, code: Int?, result: String) throws {
        let found = try Self.json(url)
        #expect(found.code == code)
        #expect(found.result?.hasPrefix(result) == true, "\(found)")
    }

    static let outlines: [(url: String, code: Int?, result: String)] = [
        ("notes:/start/5", nil, "runs a program, if policies 'rate' and 'confirm' allow it"),
        ("notes:/start/5?label=-x", nil, "runs a program, if policies 'rate' and 'confirm' allow it"),
        ("notes:/start/5?label=x&label=y", 422, "Parameter 'label' is given more than once."),
        ("notes:/see/5", nil, "redirects to another URL"), ("notes:/out/a", nil, "redirects to another URL"),
        ("notes:/pong/a", 403, "Policy 'user' refuses the request: the user is not allowed."),
        ("notes:/empty", nil, "answers with fixed items"),
        ("notes:/edit", nil, "passes the request on to connected clients"),
        ("notes:/saved", nil, "passes the request on to connected clients"),
        ("notes:/quite/different", 404, "No route answers this action."),
    ]

    @Test(arguments: outlines)
    func otherUsersGetAnOutline(url: String, code: Int?, result: String) throws {
        let found = try Self.json(url, showsAll: false)
        #expect(found.code == code)
        #expect(found.result == result)
    }

    @Test func whatTheDesktopCannotReachIsRefused() throws {
        expect(try Self.json("notes:/stop", origin: .desktop).code, equals: 403)
        // The target of a redirect is decided by the configuration.
        expect(try Self.json("notes:/see/5", origin: .desktop).code, equals: nil)
    }

    static let notes: [(stages: String, note: String)] = [
        ("policies: [{ rate: 10/m }]", "at most 10 per 1m (this try does not count)"),
        (
            "policies: [{ rate: { limit: 3/d, per: route } }]",
            "at most 3 per 1d for all users together (this try does not count)"
        ),
        ("policies: [{ exec: [touch, \"/nowhere/{id}\"] }]", "would run now; its exit status decides"),
        ("policies: [{ confirm: [touch, \"/nowhere/{id}\"] }]", "would run now; its exit status decides"),
        ("policies: [{ confirm: { text: a, origin: desktop } }]", "asks only about requests of another origin"),
        ("middleware: [{ exec: [touch, \"/nowhere/{id}\"] }]", "would run now; its output can change the request"),
        ("policies: [{ executable: [/bin/sh, /bin/ls] }]", "only a process whose program is /bin/sh or /bin/ls"),
        ("policies: [{ app: org.example.App }]", "only a process whose application is org.example.App"),
        ("policies: [{ group: [7, 100] }]", "only members of 7 or 100"),
    ]

    @Test(arguments: notes)
    func eachStageTellsWhatItWouldDo(stages: String, note: String) throws {
        let router = try Configured(routes: "- route: notes:/a/:id\n  respond:\n  \(stages)\n")
        let explanation = router.configuration.pipeline.explain(
            "notes:/a/b".utf8.span, from: Configured.peer, origin: .socket)
        let plan = try #require(explanation.hops.first?.stages.first).plan
        #expect(plan.text == note)
        #expect((plan.command == ["touch", "/nowhere/b"]) == stages.contains("touch"))
    }

    @Test func noSecretIsShown() throws {
        let directory = try TemporaryDirectory()
        let path = try directory.write("s3cret", to: "secret")
        chmod(path, 0o600)
        let router = try Configured(
            routes: "- route: notes:/a\n  policies: [{ token: { file: \(path) } }]\n  respond: { all: \"{@query}\" }\n")
        let explanation = router.configuration.pipeline.explain(
            "notes:/a?token=other&b=1".utf8.span, from: Configured.peer, origin: .socket)
        #expect(
            explanation.hops.first?.stages.first?.plan.text
                == "only with the secret in parameter 'token' (not compared now)")
        #expect(explanation.response == .success(["all": "b=1"]))
    }
}
