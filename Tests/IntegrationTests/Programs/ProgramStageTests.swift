import Glibc
import TestSupport
import Testing
import XCallbackTesting

/// Programs as middleware and policies.
@Suite(.blocking)
struct ProgramStageTests {
    private static let own = "xcallback://x-callback-url/success"

    /// Starts a daemon with a route `run:/0`, `run:/1` and so on for each script, which is a stage of the route.
    private static func site(_ scripts: [String], _ route: (Int) -> String) throws -> ExecSite {
        let programs = scripts.enumerated().map { ("p\($0.offset)", $0.element) }
        return try ExecSite(
            scripts.indices.map(route).joined(separator: "\n"),
            programs: Dictionary(uniqueKeysWithValues: programs))
    }

    static let changes: [(script: String, query: String, answer: String)] = [
        ("exit 0", "?n=1", "\(own)?n=1&o=socket&u=\(geteuid())"), ("exit 0", "?n=x", failure(422)),
        ("cat", "?n=01&t=x%2Cy,z", "\(own)?n=01&t=x%2Cy&t=z&o=socket&u=\(geteuid())"),
        ("cat", "?n=1&v&w=", "\(own)?n=1&o=socket&u=\(geteuid())"),
        (
            #"echo '{"parameters":{"n":5,"t":["a,b","c"]},"data":{"d":{"e":7}}}'"#, "?n=1",
            "\(own)?n=5&t=a%2Cb&t=c&d=7&o=socket&u=\(geteuid())"
        ),
        (
            #"echo '{"action":"/1","origin":"internal","peer":{"uid":1},"callbacks":{},"parameters":{"n":2}}'"#,
            "?n=1&x-success=app:done", "app:done?n=2&o=socket&u=\(geteuid())"
        ),
        (
            "echo '{\"data\":{\"d\":{\"e\":7},\"caf\u{E9}\":1,\"cafe\u{301}\":2}}'", "?n=1",
            "\(own)?n=1&d=7&o=socket&u=\(geteuid())"
        ),
        (#"echo '{"parameters":{}}'"#, "?n=1", failure(422)),
        (#"echo '{"parameters":{"n":"x"}}'"#, "?n=1", failure(422)),
        (#"echo '{"answer":{"done":true,"l":["a","b"]}}'"#, "?n=1", "\(own)?done=true&l=a&l=b"),
        ("exit 130", "?n=1", "xcallback://x-callback-url/cancel"), ("exit 3", "?n=1", failure(3)),
        (#"echo '{"code":442,"message":"no"}' >&2; exit 1"#, "?n=1", failure(442) + "no"),
        ("echo x", "?n=1", broken), ("echo '[]'", "?n=1", broken), (#"echo '{"parameters":[]}'"#, "?n=1", broken),
        (#"echo '{"parameters":{"X-Success":"app:x"}}'"#, "?n=1", broken), (#"echo '{"data":1}'"#, "?n=1", broken),
        (#"printf '{"parameters":{"n":['; seq -s, 300 | tr -d '\n'; echo ']}}'"#, "?n=1", broken),
        (#"echo '{"parameters":{"n":{}}}'"#, "?n=1", broken), (#"echo '{"answer":{"x-a":1}}'"#, "?n=1", failure(500)),
    ]

    private static let broken = failure(500) + "Middleware%20%27exec%27%20failed."

    @Test func aProgramChangesTheRequest() throws {
        let site = try Self.site(Self.changes.map(\.script)) { index in
            """
              - route: run:/\(index)
                input: { n: int, t: { type: list, required: false } }
                middleware: [{ exec: [DIR/p\(index)] }]
                respond: { n: "{n}", t: "{t}", d: "{@data.d.e}", o: "{@origin}", u: "{@uid}" }
            """
        }
        for (index, row) in Self.changes.enumerated() {
            let answer = try site.ask("\(index)\(row.query)")
            #expect(answer?.hasPrefix(row.answer) == true, "\(row.script): \(answer ?? "")")
        }
    }

    @Test func aProgramThatTheDaemonEndsIsNoFailure() throws {
        let site = try ExecSite(
            """
              - { route: run:/middleware, timeout: 100ms, middleware: [{ exec: [sleep, "60"] }], respond: {} }
              - { route: run:/policy, timeout: 100ms, policies: [{ exec: [sleep, "60"] }], respond: {} }
              - { route: run:/handler, timeout: 100ms, exec: [sleep, "60"] }
              - { route: run:/question, policies: [{ confirm: { exec: [sleep, "60"], timeout: 100ms } }], respond: {} }
              - { route: run:/broken, policies: [{ exec: [sh, -c, "kill $$"] }], respond: {} }
            """)
        for action in ["middleware", "policy", "handler", "question"] {
            expect(try site.ask(action)) { $0?.hasPrefix(failure(504)) == true }
        }
        try site.waitUntilNoProgramRuns()
        let log = try site.daemon.log
        #expect(!log.contains("error "), "\(log)")
        expect(try site.ask("broken")) { $0?.hasPrefix(failure(500)) == true }
        expect(try site.daemon.log) { $0.contains("signal 15 ended the program") }
    }

    static let verdicts: [(script: String, answer: String)] = [
        ("exit 0", "\(own)?ok=1"), (#"test "$1" = 7 && test "$XCALLBACK_PARAM_N" = 5"#, "\(own)?ok=1"),
        ("exit 1", failure(403) + "Policy%20%27exec%27%20refuses%20the%20request%3A%20its%20program%20denied%20it."),
        ("exit 2", failure(403)), (#"echo '{"code":442,"message":"no"}' >&2; exit 1"#, failure(442) + "no"),
        (#"echo '{"code":442,"message":"no"}' >&2"#, "\(own)?ok=1"), ("echo '{}' >&2; exit 1", failure(403)),
        ("kill -KILL $$", failure(500) + "Policy%20%27exec%27%20failed."), ("yes", failure(504)),
    ]

    @Test func aProgramDecides() throws {
        let site = try Self.site(Self.verdicts.map(\.script)) { index in
            """
              - route: run:/\(index)/:id
                timeout: \(index == Self.verdicts.count - 1 ? "50ms" : "60s")
                input: { n: int }
                policies: [{ exec: [DIR/p\(index), "{id}"] }, { require: n }]
                respond: { ok: 1 }
            """
        }
        for (index, row) in Self.verdicts.enumerated() {
            let answer = try site.ask("\(index)/7?n=5")
            #expect(answer?.hasPrefix(row.answer) == true, "\(row.script): \(answer ?? "")")
            expect(try site.ask("\(index)/7")) { $0?.contains("require") == true }
            expect(try site.ask("\(index)/7?n=x")) { $0?.hasPrefix(failure(422)) == true }
        }
    }

    static let answers: [(script: String, answer: String)] = [
        ("exit 0", "\(own)?ok=1"), ("exit 1", "xcallback://x-callback-url/cancel"), ("exit 2", failed),
        ("exit 130", failed), ("kill -KILL $$", failed),
        (#"echo '{"code":442,"message":"no"}' >&2; exit 2"#, failure(442) + "no"),
        ("sleep 600", failure(504) + "The%20request%20was%20not%20allowed%20in%20time."),
        // The time of the request stands still meanwhile.
        ("sleep 0.5", "\(own)?ok=1"),
    ]

    private static let failed = failure(500) + "Policy%20%27confirm%27%20failed."

    @Test func aProgramAsks() throws {
        let site = try Self.site(Self.answers.map(\.script)) { index in
            """
              - route: run:/\(index)/:id
                timeout: \(index == 7 ? "100ms" : "60s")
                policies: [{ confirm: { exec: [DIR/p\(index), "{id}"], timeout: \(index == 6 ? "50ms" : "60s") } }]
                respond: { ok: 1 }
            """
        }
        for (index, row) in Self.answers.enumerated() {
            let answer = try site.ask("\(index)/7")
            #expect(answer?.hasPrefix(row.answer) == true, "\(row.script): \(answer ?? "")")
        }
        try site.waitUntilNoProgramRuns()
    }

    @Test func aProgramThatIsNotThereFailsItsStage() throws {
        let site = try ExecSite(
            """
              - { route: run:/m, middleware: [{ exec: [DIR/none] }], respond: { ok: 1 } }
              - { route: run:/e, policies: [{ exec: [DIR/none] }], respond: { ok: 1 } }
              - { route: run:/c, policies: [{ confirm: [DIR/none] }], respond: { ok: 1 } }
            """)
        for action in ["m", "e", "c"] { expect(try site.ask(action)) { $0?.hasPrefix(failure(500)) == true } }
    }

    @Test func noProgramSeesASecret() throws {
        let keep = #"{ cat; env; echo "$@"; } >"$0.out""#
        let site = try ExecSite(
            """
              - route: run:/a
                policies: [{ token: { file: DIR/secret } }, { exec: [DIR/policy, "{@url}"] }]
                exec: [DIR/handler, "{@url}", "{@query}"]
                output: none
              - route: run:/there
                redirect: "run:/a?token={token}"
            middleware: [log, { exec: [DIR/middleware, "{@url}", "{@query}"] }]
            log: { level: trace }
            """,
            programs: ["middleware": keep, "policy": keep, "handler": keep],
            preparation: "umask 077; printf s3cret >DIR/secret")
        expect(try site.ask("a?token=s3cret&b=1"), equals: Self.own)
        expect(try site.ask("mistyped?token=s3cret")) { $0?.hasPrefix(failure(404)) == true }
        let kept = try ["middleware", "policy", "handler"].map { try site.directory.text(of: "\($0).out") }
        #expect(kept[0].contains("run:/mistyped") && kept[1].contains("run:/a?b=1") && kept[2].contains("run:/a?b=1"))
        for text in kept { #expect(!text.contains("s3cret")) }
        expect(try site.daemon.log) { !$0.contains("s3cret") }
    }
}
