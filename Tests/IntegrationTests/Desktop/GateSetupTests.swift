import Glibc
import TestSupport
import Testing
import XCallbackTesting

/// `xcallback setup gate`, which changes the settings of coding assistants.
@Suite(.blocking)
struct GateSetupTests {
    private static func gateSite(_ session: [String] = ["DISPLAY=:99"]) throws -> SetupSite {
        let site = try SetupSite(session: session)
        for file in ["gate.yaml", "gate"] {
            try site.install(
                file, in: "prefix/share/xcallbackd/examples/gate", textOfPackageFile("config/examples/gate/\(file)"))
        }
        for tool in ["zenity", "python3"] {
            try site.install(tool, in: "bin", "#!/bin/sh\nexec /usr/bin/\(tool) \"$@\"\n")
        }
        return site
    }

    @Test func theGateNeedsADesktop() throws {
        let result = try Self.gateSite([]).setup("gate", "--yes", "--no-try")
        #expect(
            result.output.contains("gate needs a desktop, on which it asks you: this session has no display\n"),
            "\(result)")
    }

    /// The gate changes the settings of clients, is checked by 'doctor', and leaves what was there.
    @Test func theGateConnectsTheClientsThatAreThere() throws {
        let site = try Self.gateSite()
        let version = "#!/bin/sh\necho '2.1.317 (Claude Code)'\n"
        try site.install("claude", in: "bin", version)
        let settings = """
            {
              "model": "é",
              "hooks": {
                "PreToolUse": [
                  {
                    "matcher": "Bash",
                    "hooks": []
                  }
                ]
              }
            }

            """
        try site.home.write(settings, to: ".claude/settings.json")
        try site.home.write("", to: ".cursor/kept")
        try site.giveAway()
        try site.installServiceManager()
        let result = try site.setup("gate", "--yes", "--no-try")
        #expect(result.status == 0, "\(result.output)")
        for line in [
            "Claude Code: \(site.home.path)/.claude/settings.json", "Cursor: \(site.home.path)/.cursor/hooks.json",
        ] {
            #expect(result.output.contains("connected     \(line)\n"), "\(result.output)")
        }
        expect(try site.home.text(of: ".claude/settings.json")) {
            $0.contains("\"timeout\": 600,\n            \"onFailure\": \"block\"\n")
                && $0.contains("\"matcher\": \"Bash\"")
        }
        let good = "the gate denies unless you say yes: Claude Code, Cursor"
        expect(try site.run("xcallback", "doctor").output) { $0.contains("ok    \(good)\n") }
        // Whatever lets a call pass is found.
        let folder = ".config/xcallbackd/routes.d/gate"
        let hook = try site.home.text(of: "\(folder)/gate")
        try site.install("gate", in: folder, hook.replacing("return 2, {", with: "return 0, None and {"))
        expect(try site.run("xcallback", "doctor").output) {
            $0.contains("FAULT the hook of Claude Code does not deny: it ends with 0: xcallback denied this")
        }
        try site.install("gate", in: folder, "#!/bin/true\n")
        expect(try site.run("xcallback", "doctor").output) {
            $0.contains("FAULT '\(site.home.path)/\(folder)/gate doctor' prints nothing\n")
        }
        try site.install("gate", in: folder, hook)
        let connected = try site.home.text(of: ".cursor/hooks.json")
        try site.home.write(connected.replacing("600", with: "6"), to: ".cursor/hooks.json")
        expect(try site.run("xcallback", "doctor").output) {
            $0.contains("FAULT Cursor does not have the hook as 'setup gate' writes it\n      write the hooks again: ")
        }
        // The advice also works with a changed gate, which 'xcallback remove' would keep.
        let own = try site.home.text(of: "\(folder)/gate.yaml")
        try site.home.write(own.replacing("timeout: 9m", with: "timeout: 8m"), to: "\(folder)/gate.yaml")
        expect(try site.run("xcallback", "reload").status, equals: 0)
        let output = try site.run("xcallback", "doctor").output
        let advice = try #require(output.split(separator: "write the hooks again: ").last)
        expect(try site.run("sh", "-c", String(advice.prefix { $0 != "\n" })).status, equals: 0)
        expect(try site.run("xcallback", "doctor").output) { $0.contains("ok    \(good)\n") }
        try site.home.write(own, to: "\(folder)/gate.yaml")
        try site.giveAway()
        try site.home.write("{\(connected)", to: ".cursor/hooks.json")
        let failed = try site.run("xcallback", "remove", "gate")
        #expect(
            failed.status == 1 && failed.output.contains("/.cursor/hooks.json is not valid JSON, and was not changed"))
        try site.home.write(connected, to: ".cursor/hooks.json")
        // The program that takes the hooks out comes back from the examples.
        for name in ["gate.yaml", "gate"] { unlink(site.home.path(of: "\(folder)/\(name)")) }
        let removed = try site.run("xcallback", "remove", "gate")
        #expect(removed.output.contains("disconnected  Cursor: "), "\(removed.output)")
        expect(try site.home.text(of: ".claude/settings.json"), equals: settings)
        #expect(!site.home.contains(".cursor/hooks.json") && site.home.contains(".cursor/kept"))
        // What fails is undone, though the program fails once more.
        try site.home.write("{", to: ".cursor/hooks.json")
        let undone = try site.setup("gate", "--yes", "--no-try")
        #expect(undone.status == 1 && undone.output.contains("all changes were undone"), "\(undone.output)")
        #expect(!site.home.contains(folder) && !site.home.contains(".local/state/xcallbackd/setup.json"))
    }

    /// One client's settings do not keep the others from theirs.
    @Test func settingsThatTheGateCannotChangeAreNamed() throws {
        let site = try SetupSite()
        try site.install("gate", in: "bin", textOfPackageFile("config/examples/gate/gate"))
        // Entries of another form, and half of a character.
        let odd = #"{"a": "\ud800", "hooks": {"PreToolUse": [null, "b", {"hooks": 7}, {"hooks": [1]}]}}"#
        for file in [".claude/settings.json", "odd"] { try site.home.write(odd, to: file) }
        try site.home.write("{}", to: ".codex/hooks.json")
        try site.home.write(String(repeating: "[", count: 100_000), to: ".cursor/hooks.json")
        try site.home.write(#"{"hooksConfig": [7]}"#, to: ".gemini/settings.json")
        try site.home.write("no folder", to: ".copilot/hooks")
        try site.giveAway()
        let hidden = site.home.path(of: ".codex/hooks.json")
        chmod(hidden, 0)
        for verb in ["setup", "remove"] {
            let result = try site.run("gate", verb)
            #expect(result.status == 1, "\(result.output)")
            var lines = [
                "Claude Code: \(site.home.path)/.claude/settings.json", "Gemini CLI: \(site.home.path)/.gemini/",
            ]
            lines.append("Codex: cannot read \(hidden): Permission denied\n")
            if verb == "setup" {
                lines.append("Cursor: \(site.home.path)/.cursor/hooks.json is not valid JSON, ")
                lines.append("Copilot CLI: cannot read \(site.home.path)/.copilot/hooks/xcallback-gate.json: Not a dir")
            }
            for line in lines { #expect(result.output.contains(line), "\(line) in \(result.output)") }
            #expect(result.output.split(separator: "\n").count == lines.count, "\(result.output)")
            if verb == "setup" { expect(try site.run("gate", "doctor").output) { !$0.contains("Traceback") } }
        }
        let same = "import json; assert json.load(open('.claude/settings.json')) == json.load(open('odd'))"
        expect(try site.run("sh", "-c", "cd; python3 -c \"$1\"", "sh", same).status, equals: 0)
        // A disk without space.
        chmod(hidden, 0o600)
        let full = try site.run("sh", "-c", "{ ulimit -f 0; gate setup; } 2>&1 | cat; ls -A ~/.claude ~/.codex")
        #expect(full.output.contains("Codex: cannot write \(hidden): File too large\n"), "\(full.output)")
        #expect(!full.output.contains("\ntmp") && !full.output.contains("Traceback"), "\(full.output)")
        expect(try site.home.text(of: ".codex/hooks.json"), equals: "{}")
    }
}
