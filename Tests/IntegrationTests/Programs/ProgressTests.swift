import Glibc
import TestSupport
import Testing
import XCallbackTesting
import XCallbackWire

/// Programs that report how far they are.
@Suite(.blocking)
struct ProgressTests {
    /// Another process of the machine may run these tests, too.
    private static let nap = "sleep 7061.\(getpid())"
    private static let configuration = """
        schemes: [app]
        routes:
          - route: app:/count
            exec: [sh, -c, "for i in 1 2 3; do echo \\"[$i/3] step $i\\" >&2; sleep 0.7; done; echo done"]
            progress: true
          - { route: "app:/silent", exec: [sh, -c, "echo hidden >&2; sleep 0.1"] }
          - { route: "app:/fails", exec: [sh, -c, "printf '50%% half\\rno disk\\n' >&2; exit 4"], progress: true }
          - { route: "app:/million", exec: [sh, -c, "seq 1000000 >&2"], progress: true }
          - { route: "app:/long", exec: [sh, -c, "\(nap) & echo begun >&2; wait"], progress: true }
          # The end of a request whose caller left may be seen beside the next one.
          - { route: "app:/left", exec: [sh, -c, "\(nap) & echo begun >&2; wait"], progress: true }
          - { route: "app:/odd/:format", exec: [sh, -c, 'printf "$XCALLBACK_PARAM_FORMAT" >&2; exec sleep 60'], progress: true }
          - { route: "app:/fast", respond: {} }
          - route: app:/idle/:pause
            exec: [sh, -c, 'for i in 1 2 3; do echo $i >&2; sleep "$XCALLBACK_PARAM_PAUSE"; done']
            progress: true
            timeout: { idle: 3s, total: 30s }
          - route: app:/total
            exec: [sh, -c, "while :; do echo more >&2; sleep 0.1; done"]
            progress: true
            timeout: { idle: 1s, total: 2s }
          - { route: "app:/first", policies: [{ exec: ["true"] }], redirect: "app:/total", timeout: 500ms }
          - { route: "app:/received/:how", deliver: own, wait: 60s, timeout: 60s }
          - { route: "app:/endless", exec: [sh, -c, "while :; do echo more >&2; done"], progress: true, timeout: 2s }
        """
    private let daemon: RunningDaemon

    init() throws {
        daemon = try RunningDaemon(Self.configuration)
        daemon.admitOtherUsers()
    }

    /// Returns all replies to `Open`, or to another method, up to the last one.
    private func replies(
        _ url: String, method: String = "Open", mode: VarlinkCall.Mode = .more, as userID: UInt32? = nil
    ) throws -> [JSONValue] {
        let client = try userID.map { try RouterClient(daemon.socket, as: $0) } ?? RouterClient(daemon.socket)
        try client.send(method, ["url": .string(url)], mode: mode)
        var replies: [JSONValue] = []
        repeat { replies.append(try client.reply()) } while replies.last?["outcome"] == nil
        // Nothing follows the answer: the next reply is that to the next call.
        #expect(try client.call("Status")["service"] != nil)
        return replies
    }

    @Test(arguments: ["Open", "Call"])
    func eachLineOfStandardErrorIsAReply(method: String) throws {
        let replies = try replies("app:/count", method: method)
        let texts = (1...3).map { number -> JSONValue in
            let done = JSONValue.number(JSONNumber(number))
            return [
                "progress": ["text": .string("step \(number)"), "done": done, "total": .number(JSONNumber(3))],
                "id": replies.last?["id"] ?? .null,
            ]
        }
        #expect(replies.last?["id"]?.text != nil)
        #expect(Array(replies.dropLast()) == texts)
        #expect(replies.last?["answer"]?.text == "xcallback://x-callback-url/success?result=done")
    }

    static let odd: [(format: String, text: String)] = [
        ("a\\377\\303b\\n", "a\u{FFFD}\u{FFFD}b"), ("a\\0\\033[Kb\\n", "a\0\u{1B}[Kb"),
        ("[3/2] a\\t b  \\r", "[3/2] a b"),
        ("[0/0]\\n", "[0/0]"), ("101%%\\n", "101%"), ("%065536d\\n", String(repeating: "0", count: 512)),
    ]

    @Test(arguments: odd)
    func anOddLineIsText(format: String, text: String) throws {
        let client = try RouterClient(daemon.socket)
        try client.send("Open", ["url": .string("app:/odd/\(format.percentEncoded)")], mode: .more)
        let reply = try client.reply()
        #expect(reply["progress"] == ["text": .string(text)])
        let control = try RouterClient(daemon.socket)
        _ = try control.call("Cancel", ["id": reply["id"] ?? .null])
        #expect(try client.reply()["outcome"] == "cancel")
        try control.expectNothingIsHeld()
    }

    @Test func aReceiverReportsProgress() throws {
        let (receiver, responder) = (try RouterClient(daemon.socket), try RouterClient(daemon.socket))
        try receiver.receive("own")
        let asker = try RouterClient(daemon.socket)
        try asker.send("Open", ["url": "app:/received/raw"], mode: .more)
        let request = try receiver.request()
        func report(_ progress: JSONValue) throws {
            _ = try responder.call("Respond", ["id": request["id"] ?? .null, "progress": progress])
        }
        try report(["text": "half", "done": .number(JSONNumber(1)), "total": .number(JSONNumber(2))])
        expect(try asker.reply()["progress"]?["done"]?.integer, equals: 1)
        // Numbers that make no sense are left out.
        try report([
            "text": .string(String(repeating: "x", count: 600)), "done": .number(JSONNumber(3)),
            "total": .number(JSONNumber(2)),
        ])
        let long = try asker.reply()["progress"]
        #expect(long?["text"]?.text?.utf8.count == 512 && long?["done"] == nil)
        #expect(errorName { try report(["done": .number(JSONNumber(1))]) } == "org.varlink.service.InvalidParameter")
        try responder.respond(to: request)
        #expect(try asker.reply()["outcome"]?.text == "success")
        // It is too late, and nobody gets it.
        try report(["text": "more"])
        #expect(try asker.call("Status")["service"] != nil)
        let forged: JSONValue = ["id": "0123456789abcdef", "progress": ["text": "a"]]
        let name = errorName { _ = try responder.call("Respond", forged) }
        #expect(name == "org.xcallback.Router.UnknownRequest")
    }

    @Test func aReceiverThatLeavesTakesItsProgressWithIt() throws {
        let (asker, responder) = (try RouterClient(daemon.socket), try RouterClient(daemon.socket))
        var receiver: RouterClient? = try RouterClient(daemon.socket)
        try receiver?.receive("own")
        try asker.send("Open", ["url": "app:/received/raw"], mode: .more)
        let id = try receiver?.request()["id"] ?? .null
        // The first is sent at once, and the others wait a moment.
        for _ in 0..<3 { _ = try responder.call("Respond", ["id": id, "progress": ["text": "half"]]) }
        receiver = nil
        var last: JSONValue
        repeat { last = try asker.reply() } while last["outcome"] == nil
        #expect(last["code"]?.integer == 503)
        _ = try responder.call("Respond", ["id": id, "progress": ["text": "more"]])
        // Nothing follows.
        #expect(try asker.call("Open", ["url": "app:/fast"])["outcome"] == "success")
        try responder.expectNothingIsHeld()
    }

    @Test func aProgramThatListensReportsProgress() throws {
        let gate = daemon.directory.path(of: "open")
        let script = "echo '[1/2] half' >&2; until [ -e \(gate) ]; do sleep 0.1; done; echo done"
        let listener = try ChildProcess(
            [RunningDaemon.program("xcallback"), "listen", "own", "--progress", "--", "sh", "-c", script],
            environment: ["PATH=/usr/bin:/bin", "XCALLBACK_SOCKET=\(daemon.socket)"], output: "/dev/null",
            error: "/dev/null")
        let asker = try RouterClient(daemon.socket)
        try asker.send("Open", ["url": "app:/received/program"], mode: .more)
        let progress = try asker.reply()["progress"]
        #expect(progress?["text"]?.text == "half" && progress?["total"]?.integer == 2)
        try daemon.directory.write("", to: "open")
        #expect(try asker.reply()["answer"]?.text == "xcallback://x-callback-url/success?result=done")
        withExtendedLifetime(listener) {}
    }

    @Test(arguments: ["open", "call", "open --json"])
    func aTerminalKeepsOneLine(command: String) throws {
        let words = try "exec '\(RunningDaemon.program("xcallback"))' \(command) app:/count"
        let file = daemon.directory.path(of: "screen")
        let status = try ChildProcess(
            ["/usr/bin/script", "-qec", words, "/dev/null"],
            environment: ["PATH=/usr/bin:/bin", "XCALLBACK_SOCKET=\(daemon.socket)"], output: file, error: file
        ).wait()
        let screen = try daemon.directory.text(of: "screen")
        let lines = (1...3).map { "\r\u{1B}[K\($0) of 3: step \($0) (Ctrl-C cancels)" } + ["\r\u{1B}[K"]
        #expect(status == 0)
        #expect(screen.hasPrefix(lines.joined() + "result=done") == !command.hasSuffix("--json"), "\(screen)")
        #expect(screen.contains("\u{1B}") == !command.hasSuffix("--json"), "\(screen)")
    }

    /// What stands in the line of a terminal stays if there is no progress.
    @Test func nothingIsClearedWithoutProgress() throws {
        let words = try "printf 'Title: '; '\(RunningDaemon.program("xcallback"))' open app:/fast"
        let screen = try ChildProcess.run(
            ["/usr/bin/script", "-qec", words, "/dev/null"],
            environment: ["PATH=/usr/bin:/bin", "XCALLBACK_SOCKET=\(daemon.socket)"])
        #expect(screen.status == 0 && !screen.output.contains("\u{1B}"), "\(screen)")
    }

    @Test func theLastLineIsStillTheCause() throws {
        #expect(try replies("app:/fails").last?["cause"]?.text == "no disk")
    }

    @Test func onlyWhoAsksAndMayHaveItGetsProgress() throws {
        #expect(try replies("app:/silent").count == 1)
        #expect(try replies("app:/count", mode: .once).count == 1)
        if geteuid() == 0 { #expect(try replies("app:/count", as: 65_534).count == 1) }
        expect(try daemon.connect().ask("app:/count"), equals: "xcallback://x-callback-url/success?result=done")
    }

    @Test func aMillionLinesAreAFewReplies() throws {
        let start = ContinuousClock.now
        let replies = try replies("app:/million")
        #expect(replies.count <= 3 + Int((ContinuousClock.now - start) / .milliseconds(250)))
        try RouterClient(daemon.socket).expectNothingIsHeld()
    }

    @Test func aClientThatDoesNotReadKeepsItsTimeLimit() throws {
        let client = try RouterClient(daemon.socket)
        try client.send("Open", ["url": "app:/endless"], mode: .more)
        #expect(try replies("app:/count").count == 4)
        var last: JSONValue
        repeat { last = try client.reply() } while last["outcome"] == nil
        #expect(last["code"]?.integer == 504)
        try client.expectNothingIsHeld()
    }

    static let times: [(path: String, code: Int?, cause: String?)] = [
        ("idle/1.2", nil, nil), ("idle/60", 504, "no progress for 3.0 seconds: 'idle' in 'timeout'"),
        ("total", 504, "the limit is 2.0 seconds: 'timeout'"),
        // The limits are those of the route to which a request is redirected.
        ("first", 504, "the limit is 2.0 seconds: 'timeout'"),
    ]

    @Test(arguments: times)
    func progressRenewsTheIdleTimeAndNotTheTotal(path: String, code: Int?, cause: String?) throws {
        let answer = try RouterClient(daemon.socket).open("app:/\(path)")
        #expect(answer["code"]?.integer == code)
        expect(answer["cause"]?.text) { cause == nil || $0?.hasPrefix(cause ?? "") == true }
    }

    // MARK: - Cancels

    private func waitUntilNothingIsLeft() throws {
        try waitUntil("no program is left") {
            try ChildProcess(["/usr/bin/pgrep", "-x", "-f", Self.nap], output: "/dev/null", error: "/dev/null")
                .wait() == 1
        }
        try RouterClient(daemon.socket).expectNothingIsHeld()
    }

    @Test func aCancelAtAnyMomentEndsAllThatWorks() throws {
        var numbers = SeededGenerator(seed: 1)
        let control = try RouterClient(daemon.socket)
        for number in 0..<100 {
            let client = try RouterClient(daemon.socket)
            // Half of the callers leave.
            let leaves = number % 4 < 2
            let url: JSONValue = leaves ? "app:/left" : "app:/long"
            try client.send("Open", ["url": url], mode: number % 2 == 0 ? .more : .once)
            usleep(.random(in: 0...20_000, using: &numbers))
            if leaves { continue }
            var id: JSONValue?
            try waitUntil("the request is in progress") {
                let requests = try control.call("Status")["requests"]?.elements ?? []
                id = requests.first { $0["route"] == "app:/long" }?["id"]
                return id != nil
            }
            // One of two cancels is too late.
            for _ in 0..<2 { try control.send("Cancel", ["id": id ?? .null]) }
            #expect(try control.reply() == [:])
            #expect(errorName { _ = try control.reply() } == "org.xcallback.Router.NotWaiting")
            var last: JSONValue
            repeat { last = try client.reply() } while last["outcome"] == nil
            #expect(last["outcome"] == "cancel" && last["by"] == "daemon")
            // Nothing follows.
            #expect(try client.call("Open", ["url": "app:/fast"])["outcome"] == "success")
            let name = errorName { _ = try control.call("Cancel", ["id": id ?? .null]) }
            #expect(name == "org.xcallback.Router.NotWaiting")
        }
        try waitUntilNothingIsLeft()
    }

    @Test func onlyTheOwnUserAndRootCancel() throws {
        guard geteuid() == 0 else { return }
        let (client, control) = try (RouterClient(daemon.socket), RouterClient(daemon.socket))
        let other = try RouterClient(daemon.socket, as: 65_534)
        try client.send("Open", ["url": "app:/long"])
        var id = JSONValue.null
        try waitUntil("the request is in progress") {
            id = try control.call("Status")["requests"]?.elements?.first?["id"] ?? .null
            return id != .null
        }
        #expect(try other.call("Status")["requests"] == [])
        for (caller, id) in [(other, id), (control, "none-1")] {
            #expect(errorName { _ = try caller.call("Cancel", ["id": id]) } == "org.xcallback.Router.NotWaiting")
        }
        _ = try control.call("Cancel", ["id": id])
        #expect(try client.reply()["outcome"] == "cancel")
        try waitUntilNothingIsLeft()
    }
}
