import TestSupport
import Testing
import XCallbackCommands

/// What others say, and the words of the command line, do not steer the terminal.
@Suite(.blocking)
struct TerminalTests {
    /// What is printed as it is, but for the ends of lines, and would not be seen.
    private static func hidden(_ text: String) -> String {
        String(
            String.UnicodeScalarView(
                text.unicodeScalars.filter { $0 != "\n" && "\($0)".withVisibleControls != "\($0)" }))
    }

    @Test(arguments: [
        ["status"], ["routes"], ["reload"], ["explain", "n:/a"], ["open", "n:/a"], ["monitor"], ["subscribe", "t"],
    ])
    func theErrorOfAServerIsOneLine(arguments: [String]) throws {
        let workspace = try CommandWorkspace()
        let daemon = try ScriptedDaemon(path: workspace.socket)
        let command = try SpawnedProgram(
            "xcallback", arguments + ["--socket", workspace.socket], in: workspace.directory)
        let name = #"org.xcallback.Router.\u001b]0;pwn\u0007\u001b[31mEVIL\nline2\r"#
        _ = try daemon.converse([#"{"error":"\#(name)\u202e"}"#])
        _ = consume daemon
        let message = #"xcallback: the server at '\#(workspace.socket)' answered "\#(name)<U+202E>": "#
        expect(
            try command.finish(),
            equals: ProgramResult(status: 7, errors: "\(message)it is not xcallbackd, or has a different version\n"))
    }

    @Test(arguments: [
        ["log", "\u{1B}[31m"], ["monitor", "--peer", "\u{1B}[31m"], ["monitor", "--outcome", "\u{9B}31m"],
        ["subscribe", "t", "--\u{1B}[31m"], ["publish", "t", "--socket", "/tmp/\u{1B}[31m"],
        ["listen", "\u{202E}", "--socket", "/tmp/\u{202E}", "--", "cat"], ["\u{1B}[31m"],
    ])
    func theWordsOfTheCommandLineAreMadeVisible(arguments: [String]) throws {
        let workspace = try CommandWorkspace()
        let result = try workspace.run(arguments)
        #expect(result.status != 0)
        #expect(result.errors.contains("<U+"), "\(result.errors.debugDescription)")
        #expect(Self.hidden(result.errors) == "" && Self.hidden(result.output) == "")
    }

    @Test func theSocketOfTheEnvironmentIsMadeVisible() throws {
        let result = try CommandWorkspace().run("status", environment: ["XCALLBACK_SOCKET=/tmp/\u{1B}[31m\r"])
        #expect(result.errors.contains("/tmp/<U+001B>[31m<U+000D>") && Self.hidden(result.errors) == "")
    }

    @Test func adviceIsQuotedAsAShellReadsIt() throws {
        let result = try CommandWorkspace().run("status", "--socket", "/tmp/$(touch x)`id`'")
        #expect(
            result.errors.hasSuffix(#"start it: run 'xcallbackd --socket '/tmp/$(touch x)`id`'\''''"# + "\n"),
            "\(result.errors)")
    }

    @Test func jsonShowsWhatIsNotSeen() throws {
        let workspace = try CommandWorkspace()
        let daemon = try ScriptedDaemon(path: workspace.socket)
        let command = try workspace.start("open", "--json", "--socket", workspace.socket, "notes:/a")
        let value = #"é\u009b\u202e\u2028\udb40\udc41\u001b\\u202e"#
        _ = try daemon.converse([
            #"{"parameters":{"outcome":"success","answer":"xcallback://x-callback-url/success","#
                + #""items":[{"name":"a","value":"\#(value)"}],"by":"handler"}}"#
        ])
        _ = consume daemon
        let result = try command.finish()
        #expect(result.status == 0 && result.output.contains(#""value":"\#(value)""#), "\(result)")
        #expect(Self.hidden(result.output) == "")
    }
}
