import Glibc
import TestSupport
import Testing
import XCallbackTesting

/// The commands of the front page in the shells that people have: each is pasted at a prompt, on a fresh account.
@Suite(.blocking)
struct PastedCommandTests {
    private static let page = "README.md"

    /// Types each line of a file at the prompt of a shell that prints its status after each command; prints that status and
    /// what the terminal shows.
    ///
    /// It runs in Python, which supports pseudo-terminals. Questions are answered with Return.
    private static let terminal = #"""
        import os, pty, re, select, sys
        shell, file = sys.argv[1:]
        words = {"bash": ["bash", "--norc", "--noprofile"], "zsh": ["zsh", "-f"], "fish": ["fish", "--no-config"]}[shell]
        setup = {
            "bash": "bind 'set enable-bracketed-paste off'; PROMPT_COMMAND='echo \"<$?\"\">\"'",
            "zsh": "precmd() { echo \"<$?\"\">\" }",
            "fish": "set -g fish_autosuggestion_enabled 0; function ended --on-event fish_postexec; echo \"<$status\"\">\"; end",
        }[shell]
        pid, terminal = pty.fork()
        if pid == 0:
            os.execvp(words[0], words + ["-i"])
        rest = b""
        def read():
            global rest
            while not (found := re.search(rb"<(\d+)>", rest)):
                if not select.select([terminal], [], [], 120)[0]:
                    sys.exit("no status after:\n" + rest.decode())
                part = os.read(terminal, 65536)
                rest += part
                if b"\x1b[c" in part or b"\x1b[0c" in part:
                    os.write(terminal, b"\x1b[?62;c")
                if rest.endswith(b"[Y/n] "):
                    os.write(terminal, b"\r")
            text, rest = rest[:found.start()], rest[found.end():]
            return found[1].decode(), text.decode(errors="replace").replace("\r", "")
        os.write(terminal, ("stty cols 500; " + setup + "\r").encode())
        read()
        for line in open(file).read().splitlines():
            os.write(terminal, line.encode() + b"\r")
            print(*read(), sep="\x1f", end="\x1e")
        os.close(terminal)
        """#

    /// A command of the page.
    private struct Command {
        let text: String
        /// What it prints; nil if the page does not show it.
        let output: String?
    }

    /// Returns the commands in the order of the page, from blocks and from sentences.
    private static func commands() throws -> [Command] {
        let text = try textOfPackageFile(page)
        let pattern = /(?m:^```(\w*)\n((?s:.*?))^```$)|`((?:xcallback|export) [^`\n]+)`/
        return text.matches(of: pattern).flatMap { match -> [Command] in
            if let command = match.3 { return [Command(text: String(command), output: nil)] }
            let block = DocumentExample(file: page, line: 0, text: String(match.2 ?? ""))
            switch match.1 {
            case "sh": return block.text.split(separator: "\n").map { Command(text: String($0), output: nil) }
            case "console": return block.steps.map { Command(text: $0.command, output: $0.output) }
            default: return []
            }
        }
    }

    /// Commands that are named, and not given to be run as they stand, or that need a screen.
    private static let named = [
        "xcallback init", "xcallback pick", "xcallback pick notes:/new", "xcallback pick todo:/add",
        "xcallback pick inbox:/add/:text", "xcallback doctor",
        "xcallback setup gate",
    ]

    /// What a reader does before a command, in a shell that is not theirs.
    private static let preparations = [
        "xcallback open later:/next": "xcallback open 'later:/add?url=https%3A%2F%2Fa.example%2F&title=A'",
        "xcallback check": "cp page.yaml .config/xcallbackd/routes.d/inbox.yaml",
    ]

    /// A fresh account with the downloads, and stand-ins that keep their arguments.
    private static func makeSite() throws -> SetupSite {
        let site = try SetupSite(session: [])
        let home = site.home
        let examples = "prefix/share/xcallbackd/examples"
        for name in ["later", "links", "notes/notes", "todo/todo"] {
            try home.write(textOfPackageFile("config/examples/\(name).yaml"), to: "\(examples)/\(name).yaml")
        }
        try site.install("todo", in: "\(examples)/todo", textOfPackageFile("config/examples/todo/todo"))
        let recorder = #"printf '%s\n' "$*" >>"$HOME/${0##*/}.arguments""#
        for name in ["sudo", "make", "claude", "xdg-open"] {
            try site.install(name, in: "bin", "#!/bin/sh\n\(recorder)\n")
        }
        try site.install("install.sh", in: "xcallbackd-1.0.0", "#!/bin/sh\n\(recorder)\n")
        try home.write("", to: "xcallbackd_1.0.0_amd64.deb")
        try home.write("", to: "xcallbackd-1.0.0-1.x86_64.rpm")
        try home.write(#require(DocumentExample.all(in: "yaml", of: page).first).text, to: "page.yaml")
        try site.site.install("firefox", for: ["http", "https"], script: ":")
        let answer = #"gio open "$(item "$1" x-success)?result-content=Eggs""#
        try site.site.install("obsidian", for: ["obsidian"], script: answer)
        let pack = "cd; tar czf xcallbackd-1.0.0-linux-x86_64.tar.gz xcallbackd-1.0.0; rm -r xcallbackd-1.0.0"
        try site.installServiceManager()
        expect(try site.run("sh", "-ec", pack).status, equals: 0)
        return site
    }

    @Test(arguments: ShellTerminal.shells)
    func eachCommandDoesWhatThePageSays(shell: String) throws {
        let site = try Self.makeSite()
        let home = site.home
        // The daemon of 'make serve'.
        let text = try home.write(textOfPackageFile("config/config.yaml"), to: "serve.yaml")
        let socket = home.path(of: ".build/demo.socket")
        try home.write("", to: ".build/.keep")
        try site.giveAway()
        let daemon = try ChildProcess(
            ["/usr/bin/env"] + site.asUser + [
                RunningDaemon.program("xcallbackd"), "--config", text, "--socket", socket,
            ],
            environment: ["PATH=/usr/bin:/bin"], output: "/dev/null", error: home.path(of: "serve.log"))
        try waitUntil("the daemon listens") { access(socket, F_OK) == 0 }
        let commands = try Self.commands().filter { !Self.named.contains($0.text) }
        #expect(commands.count > 20)
        var lines: [String] = []
        for command in commands { lines += [Self.preparations[command.text], command.text].compactMap(\.self) }
        try home.write(Self.terminal, to: "terminal.py")
        try home.write(lines.joined(separator: "\n"), to: "lines")
        let result = try site.run(
            ["sh", "-c", "cd && exec /usr/bin/python3 terminal.py \(shell) lines"], environment: ["TERM=xterm"])
        #expect(result.status == 0, "\(result.output)")
        let endings = result.output.split(separator: "\u{1E}").map { $0.split(separator: "\u{1F}", maxSplits: 1) }
        try #require(endings.count == lines.count, "\(result.output)")
        for (line, ending) in zip(lines, endings) {
            let shown = commands.first { $0.text == line }?.output
            let screen = String(ending.last ?? "")
            if let shown {
                // Each request has its own number.
                let constant = shown.prefix(upTo: shown.firstRange(of: #""id":""#)?.lowerBound ?? shown.endIndex)
                #expect(screen.contains(constant), "\(line): \(screen)")
            } else {
                #expect(ending.first == "0", "\(line): \(screen)")
            }
        }
        let arguments = ["sudo", "make", "claude", "install.sh"].map { try? home.text(of: "\($0).arguments") }
        let installs = "apt install ./xcallbackd_1.0.0_amd64.deb\ndnf install ./xcallbackd-1.0.0-1.x86_64.rpm\n"
        #expect(arguments == [installs, "run\ntest\n", "mcp add xcallback -- xcallback mcp\n", "\n"])
        daemon.send(signal: SIGTERM)
        expect(try daemon.wait(), equals: 0)
        try site.run("systemctl", "--user", "disable", "--now", "xcallbackd.socket")
    }

    /// The commands of all documents for users; a block that begins with `#!` is a script, and `$?` and `$!` are for scripts.
    private static let pasted: [DocumentExample] = {
        let sessions = DocumentExample.all(in: "console").flatMap { session in
            session.steps.filter { !$0.command.contains(/\$[?!]/) }.map {
                DocumentExample(file: session.file, line: session.line, text: $0.command)
            }
        }
        return (DocumentExample.all(in: "sh").filter { !$0.text.hasPrefix("#!") } + sessions).filter {
            $0.file != page && !$0.file.hasPrefix("Docs/Internals/")
        }
    }()

    /// Each program is a stand-in that keeps its arguments.
    @Test func programsGetTheSameWordsFromEachShell() throws {
        let home = try TemporaryDirectory()
        // Programs of a pipe run at the same time: each writes its line at once.
        let keep = "#!/bin/sh\nline=$(printf '<%s>' \"${0##*/}\" \"$@\")\nprintf '%s\\n' \"$line\" >>\"$KEPT\"\n"
        chmod(try home.write(keep, to: "bin/xcallback"), 0o755)
        for download in ["xcallbackd_1.deb", "xcallbackd-1.tar.gz", "list.txt", "words"] {
            try home.write("", to: download)
        }
        for name in Set(Self.pasted.flatMap { $0.text.matches(of: /[a-z][a-z0-9_.-]*/).map(\.output) }) {
            symlink("xcallback", home.path(of: "bin/\(name)"))
        }
        #expect(Self.pasted.count > 80)
        for command in Self.pasted {
            let words = try ShellTerminal.shells.map { shell in
                // The one that fish brings adds an option.
                let grep = "function grep; command grep $argv; end"
                let options = ["bash": ["--norc"], "zsh": ["-f"], "fish": ["-N", "-C", grep]][shell] ?? []
                let kept = try home.write("", to: "kept")
                let result = try ChildProcess.run(
                    ["/usr/bin/env", "-C", home.path, "/usr/bin/\(shell)"] + options + ["-c", "\(command.text)\nwait"],
                    environment: [
                        "HOME=\(home.path)", "PATH=\(home.path(of: "bin"))", "KEPT=\(kept)", "XDG_RUNTIME_DIR=/run/a",
                    ])
                return (lines: try textOfFile(kept).split(separator: "\n").sorted(), result.output)
            }
            #expect(words.allSatisfy { $0.lines == words[0].lines && !$0.lines.isEmpty }, "\(command): \(words)")
        }
    }
}
