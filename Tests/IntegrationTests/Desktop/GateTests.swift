import Glibc
import TestSupport
import Testing
import XCallbackTesting

/// The gate for coding assistants: its hook gets calls in the forms that the clients' documents show.
@Suite(.blocking)
struct GateTests {
    private static let yes = #"asked "$@"; stand"#
    private static let history = "state/xcallbackd/history.jsonl"
    private static let no = #"asked "$@"; stand; exit "$ZENITY_CANCEL""#
    /// Writes its process ID, and stays.
    private static let staying = #"echo $$ >"$HOME/new"; mv "$HOME/new" "$HOME/process"; exec sleep 600"#

    private static func site(_ zenity: String, hasDisplay: Bool = true) throws -> QuestionSite {
        let routes = try textOfPackageFile("config/examples/gate/gate.yaml")
        // A daemon that stops would wait half a minute for an open question.
        return try QuestionSite(
            configuration: routes + "\nlimits: { drain-time: 1s }\n", tools: ["zenity": zenity], hasDisplay: hasDisplay)
    }

    /// A run of the hook.
    private final class Hook {
        let process: ChildProcess
        private let directory: TemporaryDirectory

        init(
            _ call: String, of client: String = "claude", at socket: String, limit: Int = 540, program: String? = nil,
            isDirect: Bool = false
        ) throws {
            directory = try TemporaryDirectory()
            let text = try textOfPackageFile("config/examples/gate/gate").replacing(
                "LIMIT = 540", with: "LIMIT = \(limit)")
            let path = try program ?? directory.write(text, to: "gate")
            let shell = ["/bin/sh", "-c", #""$@" || exit 2"#, "gate"]
            process = try ChildProcess(
                (isDirect ? [] : shell) + ["/usr/bin/python3", "-I", path, "ask", client, socket],
                input: directory.write(call, to: "call"), output: directory.path(of: "output"),
                error: directory.path(of: "errors"))
        }

        /// The exit status, the output and the errors, once it has ended.
        func ending() throws -> (status: Int32, output: String, errors: String) {
            let status = try process.wait(within: .seconds(300))
            return (status, try directory.text(of: "output"), try directory.text(of: "errors"))
        }
    }

    private static func call(_ command: String) -> String {
        #"{"tool_name":"Bash","tool_input":{"command":"\#(command)","description":"A claim"},"cwd":"/w"}"#
    }

    static let clients:
        [(client: String, call: String, asked: String, allowed: String, denied: String, status: Int32)] = [
            (
                "claude",
                #"{"session_id":"a","transcript_path":"/t","cwd":"/home/u","permission_mode":"default","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"npm test\nrm -rf 'x y'\u202e","description":"Run tests","timeout":120000,"run_in_background":false},"tool_use_id":"t"}"#,
                DocumentExample.all(in: "text", of: "Docs/HowTo/Assistant.md").first?.text ?? "no block",
                #"{"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "allow", "#,
                #"{"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": "#,
                2
            ),
            (
                "codex",
                #"{"session_id":"a","turn_id":"b","transcript_path":null,"cwd":"/w","hook_event_name":"PreToolUse","model":"m","permission_mode":"default","tool_name":"apply_patch","tool_input":{"command":"*** Begin Patch"},"tool_use_id":"c"}"#,
                "“Codex” wants to use “apply_patch” in “/w”:\n“*** Begin Patch”", "",
                #"{"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny", "#, 2
            ),
            (
                "cursor",
                #"{"conversation_id":"a","generation_id":"b","model":"m","hook_event_name":"preToolUse","cursor_version":"3.24","workspace_roots":["/w"],"tool_name":"Shell","tool_input":{"command":"npm install","working_directory":"/project"},"tool_use_id":"c"}"#,
                "“Cursor” wants to use “Shell” in “/project”:\n“npm install”", #"{"permission": "allow"}"#,
                #"{"permission": "deny", "user_message": "#, 2
            ),
            (
                "gemini",
                #"{"session_id":"a","transcript_path":"/t","cwd":"/w","hook_event_name":"BeforeTool","timestamp":"2026-01-31T08:00:00Z","tool_name":"replace","tool_input":{"file_path":"/w/a.c","old_string":"a\n","new_string":""}}"#,
                "“Gemini CLI” wants to change\n“/w/a.c”\nin “/w”: replace\n“a⏎”\nwith\n(empty)",
                #"{"decision": "allow"}"#,
                #"{"decision": "deny", "reason": "#, 2
            ),
            (
                "copilot",
                #"{"timestamp":1704614600000,"cwd":"/w","toolName":"create","toolArgs":"{\"path\":\"/w/b\",\"file_text\":\"x\"}"}"#,
                "“Copilot CLI” wants to write\n“/w/b”\nin “/w”:\n“x”", "",
                #"{"permissionDecision": "deny", "permissionDecisionReason": "#, 0
            ),
            (
                "claude",
                #"{"cwd":"/w","tool_name":"Edit","tool_input":{"file_path":"/a","old_string":"a","new_string":"b","replace_all":true}}"#,
                "{\"file_path\": \"/a\", \"old_string\": \"a\", \"new_string\": \"b\", \"replace_all\": true}”", "",
                #"{"hookSpecificOutput": "#, 2
            ),
            (
                "claude", #"{"cwd":"/w","tool_name":"mcp__a__b","tool_input":{"command":"a","description":"b"}}"#,
                "“Claude Code” wants to use “mcp__a__b” in “/w”:\n“{\"command\": \"a\", \"description\": \"b\"}”", "",
                #"{"hookSpecificOutput": "#, 2
            ),
        ]

    @Test(arguments: clients.indices)
    func eachClientGetsItsOwnFormat(index: Int) throws {
        let row = Self.clients[index]
        let title =
            ["claude": "Claude Code", "codex": "Codex", "cursor": "Cursor", "gemini": "Gemini CLI"][row.client]
            ?? "Copilot CLI"
        for (script, isYes) in [(Self.yes, true), (Self.no, false)] {
            let site = try Self.site(script)
            let result = try Hook(row.call, of: row.client, at: site.daemon.socket).ending()
            #expect(result.status == (isYes ? 0 : row.status), "\(result)")
            #expect(result.output.hasPrefix(isYes ? row.allowed : row.denied), "\(result)")
            #expect(result.output.isEmpty == (isYes && ["codex", "copilot"].contains(row.client)), "\(result)")
            #expect(result.errors.contains("the user said no to this call") != isYes, "\(result)")
            let asked = try site.arguments("zenity").filter { !"\u{2066}\u{2069}".contains($0) }
            #expect(asked.replacing("\n↳ \"", with: "\"").contains(row.asked), "\(asked)")
            #expect(site.count("zenity") == 1)
            let directory = site.daemon.directory
            try waitUntil("the history has the call") { (try? directory.text(of: Self.history))?.isEmpty == false }
            let kept = try directory.text(of: Self.history)
            let parts = [
                #""caller":"\#(title)""#, #""allowed":\#(isYes)"#, "\"outcome\":\"\(isYes ? "success" : "cancel")\"",
            ]
            for part in parts { #expect(kept.contains(part), "\(part): \(kept)") }
        }
    }

    static let denials: [(what: String, zenity: String, call: String, reason: String, count: Int)] = [
        ("a closed window", #"asked "$@"; stand; exit "$ZENITY_ESC""#, call("a"), "the user said no", 1),
        ("a dialog that fails", #"asked "$@"; exit 1"#, call("a"), "The user cannot be asked here", 1),
        ("no display", "", call("a"), "The user cannot be asked here", 0),
        ("a long call", yes, call(String(repeating: "a", count: 16_385)), "a question shows at most 16384", 0),
        ("a long call of few characters", yes, call(String(repeating: "漢", count: 6_000)), "at most 16384", 0),
        ("a NUL", yes, call(#"a\u0000"#), "decodes to a NUL", 0),
        ("half a character", yes, call(#"\ud800"#), "its hook failed: UnicodeEncodeError", 0),
        ("no JSON", yes, "{", "its hook failed: JSONDecodeError", 0), ("nothing", yes, "", "its hook failed", 0),
        ("a list", yes, "[]", "not a JSON object", 0), ("no tool", yes, "{}", "no tool with arguments", 0),
        ("arguments of another type", yes, #"{"tool_name":"Bash","tool_input":7}"#, "no tool with arguments", 0),
    ]

    @Test(arguments: denials)
    func everythingButAYesDenies(what: String, zenity: String, call: String, reason: String, count: Int) throws {
        let site = try Self.site(zenity, hasDisplay: what != "no display")
        let result = try Hook(call, at: site.daemon.socket).ending()
        #expect(result.status == 2 && result.output.contains(#""permissionDecision": "deny""#), "\(result)")
        #expect(result.errors.contains(reason), "\(result)")
        #expect(site.count("zenity") == count)
    }

    /// The command in the settings denies if the hook itself cannot run, and then the daemon is not there, or has no such route.
    @Test func aMissingPartDenies() throws {
        let site = try QuestionSite("  - { route: run:/a, respond: }", tools: [:])
        for program in ["/nonexistent", nil] {
            let result = try Hook(Self.call("a"), at: site.daemon.socket, program: program).ending()
            #expect(result.status == 2 && !result.errors.isEmpty, "\(result)")
        }
        try site.daemon.stop()
        let result = try Hook(Self.call("a"), at: site.daemon.socket).ending()
        #expect(result.status == 2 && result.errors.contains("xcallbackd cannot be reached at "), "\(result)")
    }

    /// The daemon's own limit, whoever asks.
    @Test func aQuestionThatCannotShowAllIsNotAsked() throws {
        let site = try Self.site(Self.yes)
        let text = String(repeating: "漢", count: 5462).percentEncoded
        let answer = try site.daemon.connect().ask("gate:/use?client=a&tool=b&text=\(text)")
        #expect(answer?.contains("errorCode=503") == true && site.count("zenity") == 0, "\(answer ?? "")")
        expect(try site.daemon.log) { $0.contains("its values have 16388 bytes; at most 16384 are shown") }
    }

    /// Any program of the session can press a notification's button.
    @Test func aNotificationIsNoQuestionOfTheGate() throws {
        let routes = try textOfPackageFile("config/examples/gate/gate.yaml")
        let tools = ["notify-send": #"asked "$@"; sleep 4; echo yes"#, "busctl": #"echo 'as 1 "actions"'"#]
        let site = try QuestionSite(configuration: routes, tools: tools)
        let result = try Hook(Self.call("a"), at: site.daemon.socket).ending()
        #expect(result.status == 2 && result.errors.contains("install zenity or kdialog"), "\(result)")
        #expect(site.count("notify-send") == 0)
    }

    static let ends: [(what: String, signal: Int32, status: Int32)] = [
        ("late", 0, 2), ("terminated", SIGTERM, 2), ("killed", SIGKILL, 137), ("without a daemon", 0, 2),
    ]

    /// Nobody can answer a question whose hook is gone.
    @Test(arguments: ends)
    func aQuestionEndsWithItsHook(what: String, signal: Int32, status: Int32) throws {
        let site = try Self.site(Self.staying)
        let hook = try Hook(
            Self.call("a"), at: site.daemon.socket, limit: what == "late" ? 12 : 540, isDirect: true)
        let tool = try site.waitForProcess()
        if what == "without a daemon" { try site.daemon.stop() }
        if signal != 0 { hook.process.send(signal: signal) }
        let result = try hook.ending()
        #expect(result.status == status && !result.output.contains("allow"), "\(result)")
        try waitUntil("the dialog is gone") { kill(tool, 0) != 0 || ProcessState(of: tool).program == nil }
    }

    @Test func aFileWithALongPathIsAskedAbout() throws {
        let site = try Self.site(Self.yes)
        let path = "/w/\(String(repeating: "deep/", count: 200))a"
        let call = #"{"tool_name":"Write","tool_input":{"file_path":"\#(path)","content":"x"},"cwd":"/w"}"#
        let result = try Hook(call, at: site.daemon.socket).ending()
        #expect(result.status == 0 && result.output.contains(#""permissionDecision": "allow""#), "\(result)")
    }

    /// Calls wait for their turn, and those whose time is over are denied.
    @Test func fortyCallsAtOnceAreAskedOneAfterAnother() throws {
        let site = try Self.site(
            """
            asked "$@"; [ ! -e "$HOME/open" ] || ! kill -0 "$(cat "$HOME/open")" || echo >"$HOME/overlap"
            echo $$ >"$HOME/open"; stand; rm "$HOME/open"
            case $n in *[02468]) exit "$ZENITY_CANCEL";; esac; echo >"$HOME/yes.$n"
            """)
        let hooks = try (0..<40).map { try Hook(Self.call("echo \($0)"), at: site.daemon.socket, limit: 20) }
        let results = try hooks.map { try $0.ending() }
        let allowed = results.count { $0.status == 0 && $0.output.contains(#""permissionDecision": "allow""#) }
        let denied = results.count { $0.status == 2 && $0.output.contains(#""permissionDecision": "deny""#) }
        let answered = (1...40).count { access(site.path(of: "yes.\($0)"), F_OK) == 0 }
        #expect(allowed + denied == 40 && allowed >= 1 && allowed <= answered, "\(allowed) of \(answered), \(denied)")
        #expect(results.contains { $0.errors.contains("did not answer in time") })
        #expect(access(site.path(of: "overlap"), F_OK) != 0)
    }

    @Test func aNoIsForOneCall() throws {
        let site = try Self.site(#"asked "$@"; stand; [ $n = 2 ] || exit "$ZENITY_CANCEL""#)
        let statuses = try (0..<3).map { _ in try Hook(Self.call("a"), at: site.daemon.socket).ending().status }
        #expect(statuses == [2, 0, 2] && site.count("zenity") == 3)
    }

    @Test func aToolThatOnlyReadsIsNotAskedAbout() throws {
        let site = try Self.site(Self.yes)
        let call = #"{"tool_name":"Read","tool_input":{"file_path":"/a"},"cwd":"/w"}"#
        for (client, output) in [("claude", ""), ("cursor", "{\"permission\": \"allow\"}\n")] {
            let result = try Hook(call, of: client, at: site.daemon.socket).ending()
            #expect(result.status == 0 && result.output == output, "\(result)")
        }
        #expect(site.count("zenity") == 0)
    }

    /// The text that does not fit is read first; going on from it is no answer.
    @Test func aLongCommandIsShownWhole() throws {
        let lines = (0..<400).map { "line \($0) é" }
        let zenity =
            #"asked "$@"; case $* in --text-info*) cat >"$HOME/text"; stand;; *) stand; exit "$ZENITY_CANCEL";; esac"#
        let site = try Self.site(zenity)
        let result = try Hook(Self.call(lines.joined(separator: #"\n"#)), at: site.daemon.socket).ending()
        #expect(result.status == 2 && site.count("zenity") == 2, "\(result)")
        let text = try textOfFile(site.path(of: "text"))
        #expect(lines.allSatisfy { text.contains($0) } && text.split(separator: "\n").count == 401)
        expect(try site.arguments("zenity", 2)) { $0.contains("--question\n") && $0.contains(" of ") }
    }

    private static let persons = ["/usr/bin/Xvfb", "/usr/bin/zenity", "/usr/bin/xdotool"]
    static let acts: [(keys: String, length: Int, status: Int32)] = [
        ("key Tab Return", 1, 0), ("key Return", 1, 2), ("key Escape", 1, 2),
        ("search --onlyvisible --name xcallback windowkill", 1, 2),
        ("key Return,key Tab Return", 400, 0), ("key Return,key Return", 400, 2), ("key Escape,key Escape", 400, 2),
    ]

    /// The same with the real dialog, on a screen of its own.
    @Test(
        .enabled(if: persons.allSatisfy { access($0, X_OK) == 0 }, "Xvfb, zenity and xdotool are not installed"),
        arguments: acts)
    func aPersonAnswersInTheRealDialog(keys: String, length: Int, status: Int32) throws {
        let site = try Self.site(
            #"asked "$@"; unset WAYLAND_DISPLAY; export GDK_BACKEND=x11 DISPLAY=:$(cat "$HOME/screen"); exec /usr/bin/zenity "$@""#
        )
        let screen = site.path(of: "screen")
        let server = try ChildProcess(
            ["/usr/bin/Xvfb", "-displayfd", "1", "-screen", "0", "1024x768x24", "-nolisten", "tcp", "-noreset"],
            output: screen,
            error: "/dev/null")
        try waitUntil("the screen is there") { try textOfFile(screen).hasSuffix("\n") }
        let display = "DISPLAY=:\(try textOfFile(screen).dropLast())"
        let hook = try Hook(
            Self.call((0..<length).map { "line \($0)" }.joined(separator: #"\n"#)), at: site.daemon.socket)
        for (number, act) in keys.split(separator: ",").enumerated() {
            try waitUntil("the question is asked") { site.count("zenity") > number }
            let script = "xdotool search --sync --onlyvisible --name xcallback >/dev/null; sleep 3.5; xdotool \(act)"
            let person = try ChildProcess(
                ["/bin/sh", "-c", script], environment: [display, "PATH=/usr/bin:/bin"],
                output: site.path(of: "person"))
            try person.wait(within: .seconds(120))
        }
        let result = try hook.ending()
        #expect(result.status == status, "\(result)")
        withExtendedLifetime(server) {}
    }
}
