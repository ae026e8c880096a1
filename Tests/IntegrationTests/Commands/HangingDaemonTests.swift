import Glibc
import TestSupport
import Testing
import XCallbackTesting
import XCallbackWire

/// Reports of commands about a daemon that accepts connections and does not answer.
@Suite(.blocking)
struct HangingDaemonTests {
    private static let configuration = """
        schemes: [n]
        routes:
          - { route: n:/a, public: true, respond: { a: b } }
          - { route: n:/b, publish: news }
          - { route: n:/c, deliver: receiver }
          - { route: n:/slow, agent: slow, exec: [sleep, "7"] }
        """

    private func start(_ words: [String], _ daemon: RunningDaemon, to name: String) throws -> ChildProcess {
        let output = daemon.directory.path(of: name)
        return try ChildProcess(
            [RunningDaemon.program("xcallback"), words[0], "--socket", daemon.socket] + words.dropFirst(),
            environment: ["PATH=/usr/bin:/bin"], output: output)
    }

    /// Waits until a command has printed a text, for at most a minute.
    private func expect(_ text: String, in name: String, of daemon: RunningDaemon) throws {
        try waitUntil("\(name) contains \(text)") { try daemon.directory.text(of: name) == text }
    }

    private static func line(_ purpose: String) -> String {
        "xcallback: waiting for the daemon \(purpose) for 5 s: it is busy, stopped (SIGSTOP) or hangs\n"
    }

    private static func answerLine(_ daemon: RunningDaemon) -> String {
        "xcallback: waiting for the answer of the daemon at '\(daemon.socket)' (Ctrl-C cancels the request)\n"
    }

    private let daemon: RunningDaemon

    init() throws { daemon = try RunningDaemon(Self.configuration) }

    @Test func commandsSayForWhatTheyWait() throws {
        try daemon.process.pause()
        let commands = [
            ["reload"], ["publish", "news", "a=b"], ["status"], ["routes"], ["routes", "n:/a"], ["explain", "n:/a"],
            ["explain", "n:/a", "--param", "x=y"], ["open", "n:/a", "--param", "x=y"],
            ["pick", "--print", "--menu", "head", "-n1"],
        ]
        let programs = try commands.enumerated().map { try start($1, daemon, to: "output-\($0)") }
        let waits = [
            "to read its configuration", "to publish to 'news'", "to report its status", "to list its routes",
            "to list its routes", "to explain the URL", "to list its routes", "to list its routes",
            "to list its routes",
        ]
        for (index, wait) in waits.enumerated() {
            try expect(Self.line(wait), in: "output-\(index)", of: daemon)
        }
        daemon.process.send(signal: SIGCONT)
        for program in programs { #expect(try program.wait() == 0) }
    }

    @Test func streamsSayForWhatTheyWait() throws {
        try daemon.process.pause()
        let commands = [
            (["monitor"], "to show its requests"), (["subscribe", "news"], "to send events"),
            (["listen", "receiver", "--", "true"], "to deliver requests"),
        ]
        let programs = try commands.enumerated().map { try start($1.0, daemon, to: "output-\($0)") }
        for (index, command) in commands.enumerated() {
            try expect(Self.line(command.1), in: "output-\(index)", of: daemon)
        }
        withExtendedLifetime(programs) {}
    }

    @Test func whoWaitsForAnAnswerSaysSo() throws {
        try daemon.process.pause()
        let commands = [["open", "n:/a", "n:/a"], ["handle", "n:/a"], ["call", "n:/a"]]
        let programs = try commands.enumerated().map { try start($1, daemon, to: "output-\($0)") }
        for index in commands.indices { try expect(Self.answerLine(daemon), in: "output-\(index)", of: daemon) }
        daemon.process.send(signal: SIGCONT)
        for program in programs { #expect(try program.wait() == 0) }
        #expect(try daemon.directory.text(of: "output-0") == "\(Self.answerLine(daemon))a=b\na=b\n")
        #expect(try daemon.directory.text(of: "output-1") == Self.answerLine(daemon))
    }

    /// The user may take longer with a menu than a reply.
    @Test func aSlowProgramMakesOneLine() throws {
        let open = try start(["open", "n:/a", "n:/slow", "n:/slow"], daemon, to: "open")
        let pick = try start(["pick", "--print", "--menu", "sh", "-c", "sleep 6; grep slow"], daemon, to: "pick")
        #expect(try open.wait() == 0)
        #expect(try daemon.directory.text(of: "open") == "a=b\n\(Self.answerLine(daemon))result=\nresult=\n")
        #expect(try pick.wait() == 0)
        #expect(try daemon.directory.text(of: "pick") == "\(Self.answerLine(daemon))result=\n")
    }

    @Test func theToolServerSaysForWhatItWaits() throws {
        let client = try AssistantClient(of: daemon.socket)
        try client.initialize()
        try daemon.process.pause()
        let id = try client.begin("slow")
        try waitUntil("the server says so") { try client.log == Self.line("to list its routes") }
        daemon.process.send(signal: SIGCONT)
        #expect(try client.message(to: id)["result"]?["isError"] != .bool(true))
    }
}
