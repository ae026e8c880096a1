import Glibc
import TestSupport
import Testing
import XCallback
import XCallbackTesting
import XCallbackWire

/// What programs leave behind that end by themselves, and how detached programs are watched; without a service manager.
@Suite(.blocking)
struct LeftBehindTests {
    private static let routes = """
          - { route: run:/leave, exec: [sh, -c, 'DIR/writer & echo $!'] }
          - { route: run:/leave/silently, public: true, exec: [sh, -c, 'exec >/dev/null 2>&1; sleep 600 &'], output: none }
          - { route: run:/wait, exec: [sh, -c, 'DIR/writer >/dev/null & wait'], timeout: 2s }
          - { route: run:/writer, exec: [DIR/writer], detach: true }
          - { route: run:/late, exec: [sh, -c, 'sleep 2.5; echo "too late" >&2; exit 4'], detach: true }
          - { route: "run:/watched/:code", exec: [sh, -c, "eval \\"$XCALLBACK_PARAM_CODE\\""], detach: true }
          - { route: run:/watched, exec: [sleep, "600"], detach: true, timeout: 1s }
          - { route: run:/missing, exec: [DIR/missing], detach: true }
          - { route: run:/greet, respond: { result: hello } }
        """

    /// Writes more than a pipe holds within a few rounds.
    private static let writer = """
        echo $$ >"${0%/*}/pid.new"; mv "${0%/*}/pid.new" "${0%/*}/pid"
        while :; do
            head -c 40000 /dev/zero | tr '\\0' 'x'
            echo "round of the writer" >&2
            echo round >>"${0%/*}/rounds"
            sleep 0.05
        done
        """

    private static func makeSite(limits: String = "{}") throws -> ExecSite {
        try ExecSite(routes, programs: ["writer": writer], limits: limits)
    }

    /// Waits until the writer has written more than fits into its pipes.
    private static func waitForRounds(in site: ExecSite) throws -> Int32 {
        let before = site.directory.contains("rounds") ? try site.directory.text(of: "rounds").utf8.count : 0
        try waitUntil("the writer goes on") {
            guard site.directory.contains("rounds"), site.directory.contains("pid") else { return false }
            return try site.directory.text(of: "rounds").utf8.count > before + 6 * 12
        }
        return try #require(Int32(try site.directory.text(of: "pid").dropLast()))
    }

    @Test func whatAProgramLeavesBehindGoesOnAndIsLogged() throws {
        let site = try Self.makeSite()
        expect(try site.ask("leave")) { $0?.hasPrefix(result("")) == true }
        let writer = try Self.waitForRounds(in: site)
        defer { kill(writer, SIGKILL) }
        try waitUntil("the log has what is written") {
            try site.daemon.log.contains("a program wrote to standard error")
                && site.daemon.log.contains("round of the writer")
        }
        #expect(try !site.daemon.log.contains("xxx"))
        expect(try site.daemon.stop(), equals: 0)
        // Its next output has no reader.
        try waitUntil("the writer has ended") { kill(writer, 0) < 0 }
    }

    @Test func aDetachedProgramWritesOnWithoutTheDaemon() throws {
        let site = try Self.makeSite()
        expect(try site.ask("writer"), equals: "xcallback://x-callback-url/success")
        _ = try Self.waitForRounds(in: site)
        try site.daemon.stop(with: SIGKILL)
        let writer = try Self.waitForRounds(in: site)
        #expect(kill(writer, SIGKILL) == 0)
    }

    @Test func aTimeoutEndsWhatAProgramHasStarted() throws {
        let site = try Self.makeSite()
        expect(try site.ask("wait")) { $0?.hasPrefix(failure(504)) == true }
        let writer = try #require(Int32(try site.directory.text(of: "pid").dropLast()))
        try site.waitForEnd(of: writer)
    }

    /// A web page can ask for a route as often as it likes.
    @Test func whatIsLeftFillsItsAccountOnly() async throws {
        let site = try Self.makeSite(limits: "{ processes: 16 }")
        let client = Client(socket: site.daemon.socket)
        var answers: [Response] = []
        for _ in 0..<20 { answers.append(try await client.open("run:/leave/silently", from: .desktop).response) }
        let left = try Self.left(site)
        defer { for left in left { Self.end(left) } }
        #expect(left.count == 2)
        #expect(left.allSatisfy { $0["route"]?.text == "run:/leave/silently" && $0["unit"] == .null })
        let refused = answers.compactMap { if case .error(let error) = $0 { error } else { nil } }
        #expect(refused.count == 18 && refused.allSatisfy { $0.code == .tooMany })
        #expect(
            refused.last?.message.hasSuffix(
                "(an eighth of limits: processes). Ended programs have left 2 of them: see 'xcallback status'.") == true
        )
        // The user's programs run on.
        expect(try site.ask("leave")) { $0?.hasPrefix(result("")) == true }
        kill(try Self.waitForRounds(in: site), SIGKILL)
        for left in left { Self.end(left) }
        try await suspendUntil("another one can be left") {
            if case .success = try await client.open("run:/leave/silently", from: .desktop).response {
                true
            } else {
                false
            }
        }
        for left in try Self.left(site) { Self.end(left) }
        try waitUntil("nothing is left") { try Self.left(site).isEmpty }
    }

    /// What is left of programs that the desktop has asked for.
    private static func left(_ site: ExecSite) throws -> [JSONValue] {
        let accounts = try RouterClient(site.daemon.socket).call("Status")["accounts"]?.elements ?? []
        return accounts.filter { $0["class"]?.text == "desktop" }.flatMap { $0["left"]?.elements ?? [] }
    }

    private static func end(_ left: JSONValue) {
        if let group = left["group"]?.integer { kill(-Int32(group), SIGKILL) }
    }

    static let watched: [(code: String, answer: String)] = [
        ("true", "xcallback://x-callback-url/success"), ("sleep 1; true", "xcallback://x-callback-url/success"),
        ("sleep 600", "xcallback://x-callback-url/success"), ("exit 1", failure(1)), ("sleep 0.2; exit 1", failure(1)),
        ("kill -SEGV $$", failure(500)), ("exit 130", "xcallback://x-callback-url/cancel"),
    ]

    @Test(arguments: watched)
    func aDetachedProgramIsWatched(code: String, answer: String) throws {
        let site = try Self.makeSite()
        let action =
            "watched/\(code.replacing(" ", with: "%20").replacing(";", with: "%3B").replacing("$", with: "%24"))"
        expect(try site.ask(action)) { $0?.hasPrefix(answer) == true }
        for process in try site.daemon.state.children { kill(-process, SIGKILL) }
    }

    @Test func aRouteWithLittleTimeStartsADetachedProgramAllTheSame() throws {
        let site = try Self.makeSite()
        expect(try site.ask("watched"), equals: "xcallback://x-callback-url/success")
        for process in try site.daemon.state.children { kill(-process, SIGKILL) }
    }

    @Test func theErrorOfADetachedProgramHasItsCause() async throws {
        let site = try Self.makeSite()
        let client = Client(socket: site.daemon.socket)
        let answer = try await client.open("run:/watched/echo%20why%20%3E%262%3B%20exit%203")
        #expect(answer.cause == "why")
        expect(try await client.open("run:/missing").response) {
            if case .error(let error) = $0 { error.code == .internalFailure } else { false }
        }
    }

    @Test func aDetachedProgramThatFailsLaterIsLogged() throws {
        let site = try Self.makeSite()
        expect(try site.ask("late"), equals: "xcallback://x-callback-url/success")
        try waitUntil("the log has its end") {
            try site.daemon.log.contains("a program failed") && site.daemon.log.contains("too late")
        }
    }
}
