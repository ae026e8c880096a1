import Glibc
import TestSupport
import Testing
import XCallbackTesting

/// How programs end, and the answers to their callers.
@Suite(.blocking)
struct ExecEndingTests {
    private static let routes = """
          - route: run:/:program
            exec: [/bin/sh, "DIR/cases", "{program}"]
          - route: run:/brief/:program
            exec: [/bin/sh, "DIR/cases", "{program}"]
            timeout: 100ms
          - route: run:/three
            exec: [/bin/sh, "DIR/cases", cancel]
            cancel-status: 3
          - route: run:/missing
            exec: [DIR/missing]
          - route: run:/detached/:file
            exec: [/bin/sh, "DIR/detached", "DIR/{file}"]
            detach: true
        """

    private static let cases = """
        case "$1" in
        success) echo fine; echo note >&2 ;;
        nothing) ;;
        fails) exit 1 ;;
        temporary) exit 75 ;;
        cancel) exit 130 ;;
        object) echo note >&2; echo '{"code":442,"message":"no such n\u{F6}te"}' >&2; exit 9 ;;
        unfinished) printf '{"message":"a b","code":1}' >&2; exit 9 ;;
        not-last) echo '{"code":442,"message":"x"}' >&2; echo note >&2; exit 9 ;;
        not-an-error) echo '{"code":"442","message":"x"}' >&2; exit 9 ;;
        not-text) printf '{"code":442,"message":"\\377"}' >&2; exit 9 ;;
        killed) kill -9 $$ ;;
        terminated) kill -15 $$ ;;
        hangs) echo $$ >"${0%/*}/hanging"; mv "${0%/*}/hanging" "${0%/*}/hangs"; exec sleep 600 ;;
        ignores) trap '' TERM; echo $$ >"${0%/*}/ignores"; while :; do sleep 600; done ;;
        endless) exec cat /dev/zero ;;
        gigabyte) exec head -c 1000000000 /dev/zero ;;
        loud) head -c 100000000 /dev/zero >&2; echo fine ;;
        binary) printf 'a\\377' ;;
        nul) printf 'a\\000' ;;
        esac
        """

    private let site: ExecSite

    init() throws {
        site = try ExecSite(
            Self.routes,
            programs: ["cases": Self.cases, "detached": #"cat >"$1.part"; mv "$1.part" "$1""#])
    }

    static let endings: [(program: String, answer: String)] = [
        ("success", result("fine")), ("nothing", result("")), ("fails", failure(1)), ("temporary", failure(75)),
        ("cancel", "xcallback://x-callback-url/cancel"), ("three", failure(130)),
        ("object", failure(442) + "no%20such%20n%C3%B6te"), ("unfinished", failure(1) + "a%20b"),
        ("not-last", failure(9)), ("not-an-error", failure(9)), ("not-text", failure(9)),
        ("killed", failure(500)), ("terminated", failure(500)), ("missing", failure(500)),
        ("brief/hangs", failure(504)), ("brief/ignores", failure(504)), ("endless", failure(429)),
        ("gigabyte", failure(429)), ("loud", result("fine")), ("binary", failure(500)), ("nul", failure(500)),
    ]

    @Test(arguments: endings)
    func everyEndHasItsAnswerAndLeavesNothing(program: String, answer: String) throws {
        let descriptors = try site.daemon.state.descriptorCount
        let start = ContinuousClock.now
        expect(try site.ask(program)) { $0?.hasPrefix(answer) == true }
        #expect(ContinuousClock.now - start < .seconds(20))
        try site.waitUntilNoProgramRuns()
        try site.daemon.ask("other:/nothing", on: site.daemon.connect()) {
            // The asking client has a connection.
            try site.daemon.state.descriptorCount <= descriptors + 1
        }
        expect(try site.ask("success"), equals: result("fine"))
    }

    @Test func aProgramEndsWithItsClient() throws {
        var client: LineClient? = try site.daemon.connect()
        try client?.send("run:/hangs\n")
        let other = try site.daemon.connect()
        try site.daemon.ask("other:/nothing", on: other) { site.directory.contains("hangs") }
        let process = try #require(Int32(try site.directory.text(of: "hangs").dropLast()))
        client = nil
        try site.waitForEnd(of: process)
        expect(try other.ask("run:/success"), equals: result("fine"))
    }

    @Test func aDetachedProgramLivesOn() throws {
        expect(try site.ask("detached/output"), equals: "xcallback://x-callback-url/success")
        try site.daemon.ask("other:/nothing", on: site.daemon.connect()) { site.directory.contains("output") }
        expect(try site.directory.text(of: "output")) { $0.contains(#""route":"run:/detached/:file""#) }
        try site.waitUntilNoProgramRuns()
    }

    @Test func aDaemonThatStopsTakesItsProgramsAlong() throws {
        let client = try site.daemon.connect()
        try client.send("run:/hangs\n")
        try site.daemon.ask("other:/nothing", on: site.daemon.connect()) { site.directory.contains("hangs") }
        let process = try #require(Int32(try site.directory.text(of: "hangs").dropLast()))
        site.daemon.process.send(signal: SIGTERM)
        // The second notification follows because there is no time to wait for the program.
        _ = try site.daemon.manager.receive(besides: "STATUS=Serving")
        expect(try site.daemon.stop(), equals: 75)
        #expect(kill(process, 0) < 0)
    }
}
