import Glibc
import TestSupport
import Testing
import XCallback
import XCallbackTesting

/// What people see of a program that does not work: the cause, and a command that helps where there is one.
@Suite(.blocking)
struct BrokenScriptTests {
    /// A program that does not work.
    ///
    /// FILE in a text stands for its path, and SITE for the folder of all programs.
    private struct Kind {
        let name: String
        /// The contents of the file; nil for no file.
        var script: String?
        /// Commands that break the file further.
        var setup = ""
        /// The command of the route.
        var exec = "[FILE]"
        /// Other keys of the route.
        var keys = ""
        /// The code of the error.
        var code = 500
        /// The cause, or a part of it.
        let cause: String
        /// Whether `xcallback doctor` reports it, too, without a request.
        var isFound = false
    }

    private static let bare = "'FILE' is a script whose first line does not name a program: "
    private static let windows = "'FILE' has the line ends of Windows, so its first line names no program: "

    /// Programs that cannot be started.
    private static let starts = [
        Kind(
            name: "mark", script: "\u{FEFF}#!/bin/sh\n",
            cause: "'FILE' begins with a byte order mark, so the kernel finds no '#!': "
                + #"run 'sed -i "1s/^\xef\xbb\xbf//" FILE'"#, isFound: true),
        Kind(
            name: "crlf", script: "#!/bin/sh\r\nexit 0\r\n", cause: windows + #"run 'sed -i "s/\r$//" FILE'"#,
            isFound: true),
        Kind(
            name: "crlf-env", script: "#!/usr/bin/env sh\r\nexit 0\r\n", code: 127,
            cause: windows + #"run 'sed -i "s/\r$//" FILE'"#, isFound: true),
        Kind(
            name: "bare", script: "echo hi\n", cause: bare + ##"run 'sed -i 1i\\#\\!/bin/sh FILE'"##, isFound: true),
        Kind(
            name: "bare.py", script: "print(1)\n",
            cause: bare + ##"run 'sed -i 1i\\#\\!/usr/bin/env\ python3 FILE'"##, isFound: true),
        Kind(name: "empty", script: "", cause: "'FILE' is empty", isFound: true),
        Kind(name: "deleted", cause: "'FILE' does not exist", isFound: true),
        Kind(name: "link", setup: "ln -s /nowhere FILE", cause: "'FILE' does not exist", isFound: true),
        Kind(
            name: "loop", setup: "ln -s FILE FILE", cause: "'FILE' Too many levels of symbolic links", isFound: true),
        Kind(
            name: "below", script: "#!/bin/sh\n", exec: "[FILE/greet]", cause: "'FILE/greet' does not exist",
            isFound: true),
        Kind(
            name: "plain", script: "#!/bin/sh\n", setup: "chmod a-x FILE",
            cause: "'FILE' is not executable: run 'chmod +x FILE'", isFound: true),
        Kind(name: "folder", setup: "mkdir FILE", cause: "'FILE' is a folder", isFound: true),
        Kind(name: "pipe", setup: "mkfifo -m 755 FILE", cause: "'FILE' is not a file", isFound: true),
        Kind(
            name: "interpreter", script: "#!/bin/bsh -e\n",
            cause: "'FILE' wants '/bin/bsh', which does not exist: install it, or change line 1", isFound: true),
        Kind(
            name: "env", script: "#!/usr/bin/env bsh\n", code: 127,
            cause: "'FILE' wants 'bsh', which is not in the PATH (/usr/bin:/bin): install it, or change line 1",
            isFound: true),
        Kind(
            name: "machine", setup: #"printf '\177ELF\2\1\1\0\0\0\0\0\0\0\0\0\2\0\377\377' >FILE; chmod 755 FILE"#,
            cause: "'FILE' is neither a script that begins with '#!' nor a program for this machine"),
        Kind(
            name: "absent", exec: "[no-such-program]",
            cause: "program 'no-such-program' is not in the PATH (/usr/bin:/bin): install it, or write its whole path",
            isFound: true),
        Kind(
            name: "at-home", setup: "mkdir -p SITE/bin; printf '#!/bin/sh\n' >SITE/bin/mine; chmod 755 SITE/bin/mine",
            exec: "[mine]",
            cause: "program 'mine' is not in the PATH (/usr/bin:/bin): write its path, 'SITE/bin/mine'", isFound: true),
        Kind(name: "word", exec: "['ls -l']", cause: "program 'ls -l' is not in the PATH", isFound: false),
        Kind(name: "dollar", exec: "['$HOME/greet']", cause: "'SITE/$HOME/greet' does not exist", isFound: false),
        Kind(
            name: "nowhere", exec: "[ls]", keys: "cwd: /no-such-folder",
            cause: "the folder '/no-such-folder' does not exist: run 'mkdir -p /no-such-folder'", isFound: true),
        Kind(
            name: "not-folder", exec: "[ls]", keys: "cwd: /etc/passwd", cause: "'/etc/passwd' is not a folder",
            isFound: true),
    ]

    /// Programs that start and fail.
    private static let ends = [
        Kind(
            name: "status", script: "#!/bin/sh\necho 'No such note.' >&2\nexit 3\n", code: 3, cause: "No such note."),
        Kind(name: "command", script: "#!/bin/sh\nno-such-command\n", code: 127, cause: "no-such-command: not found"),
        Kind(name: "syntax", script: "#!/bin/sh\nif\n", code: 2, cause: "Syntax error: "),
        Kind(
            name: "trace.py", script: "#!/usr/bin/python3\nimport no_such_module\n", code: 1,
            cause: "ModuleNotFoundError: No module named 'no_such_module'"),
        Kind(name: "killed", script: "#!/bin/sh\nkill -9 $$\n", cause: "signal 9 ended the program"),
        Kind(name: "crash", script: "#!/bin/sh\nkill -SEGV $$\n", cause: "signal 11 ended the program"),
        Kind(
            name: "slow", script: "#!/bin/sh\nexec sleep 60\n", keys: "timeout: 100ms", code: 504,
            cause: "the limit is 0.1 seconds: 'timeout' of the route at SITE/config.yaml:"),
        Kind(
            name: "wait", script: "#!/bin/sh\nexec sleep 60\n", code: 504,
            cause: "the limit is 2.0 seconds: 'handler-time' in 'limits', or 'timeout' of the route at "
                + "SITE/config.yaml:"),
        Kind(
            name: "late", script: "#!/bin/sh\nexit 0\n",
            keys: "policies: [{ confirm: { exec: [sleep, '60'], timeout: 100ms } }]", code: 504,
            cause: "the limit is 0.1 seconds: 'timeout' of a policy of the route at SITE/config.yaml:"),
        Kind(name: "not-utf8", script: "#!/bin/sh\nprintf '\\377'\n", cause: "the output is not UTF-8"),
        Kind(name: "nul", script: "#!/bin/sh\nprintf 'a\\0'\n", cause: "the output holds a NUL"),
        Kind(
            name: "debug", script: "#!/bin/sh\necho starting\necho '{}'\n", keys: "output: json",
            cause: "; it begins with other text than '{': print only the object there, and messages with '>&2'"),
        Kind(
            name: "nothing", script: "#!/bin/sh\n", keys: "output: json",
            cause: "the output is empty, expected a JSON object: print '{}', or set 'output: none'"),
        Kind(
            name: "array", script: "#!/bin/sh\necho '[1]'\n", keys: "output: json",
            cause: #"the output is JSON, but not an object such as {"result": 1}"#),
        Kind(
            name: "cut", script: "#!/bin/sh\nprintf '{\"a\":'\n", keys: "output: json",
            cause: "the output is not JSON: it has "),
        Kind(
            name: "nested", script: "#!/bin/sh\necho '{\"a\": 1, \"tag\": {\"b\": 1}}'\n", keys: "output: json",
            cause: "the member 'tag' of the output is not a text, a number, true, false or a list of these: "
                + "write it as a text, as jq's 'tostring' does"),
    ]

    @Test func theCauseIsSaidWithWhatHelps() async throws {
        let directory = try TemporaryDirectory()
        let kinds = Self.starts + Self.ends
        for kind in kinds {
            let path = directory.path(of: kind.name)
            if let script = kind.script { chmod(try directory.write(script, to: kind.name), 0o755) }
            let setup = kind.setup.replacing("FILE", with: path).replacing("SITE", with: directory.path)
            expect(try ChildProcess.run(["/bin/sh", "-c", setup]).status, equals: 0)
        }
        let routes = kinds.map { kind in
            let keys = kind.keys.isEmpty ? "" : ", \(kind.keys)"
            let hasLimit = kind.name == "wait" || kind.keys.contains("timeout") || kind.keys.contains("detach")
            let limit = hasLimit ? "" : ", timeout: 60s"
            return "  - { route: 'n:/\(kind.name)', public: true, exec: \(kind.exec)\(keys)\(limit) }\n"
                .replacing("FILE", with: directory.path(of: kind.name))
        }
        let daemon = try RunningDaemon(
            starting: "schemes: [n]\nlimits: { handler-time: 2s }\nroutes:\n\(routes.joined())", in: directory,
            preparation: "export HOME='\(directory.path)'")
        try daemon.waitUntilReady()
        let site = try DesktopSite(socket: daemon.socket)
        let found = try site.run("xcallback", "check", "--socket", daemon.socket).output
        for kind in kinds {
            let cause = kind.cause.replacing("FILE", with: directory.path(of: kind.name))
                .replacing("SITE", with: directory.path)
            let answer = try await Client(socket: daemon.socket).open("n:/\(kind.name)")
            #expect(answer.cause?.contains(cause) == true, "\(kind.name): \(answer)")
            #expect(answer.url.contains("errorCode=\(kind.code)&"), "\(kind.name): \(answer.url)")
            #expect(!kind.isFound || found.contains(cause), "\(kind.name)")
            let click = try site.run("xcallback", "handle", "--", "n:/\(kind.name)").output
            #expect(click.contains(cause), "\(kind.name): \(click)")
        }
    }

    /// The words with which 'doctor' and 'check' help lead to a program that runs.
    @Test(arguments: ["mark", "crlf", "bare", "plain"])
    func theCommandMendsTheProgram(name: String) async throws {
        let kind = try #require(Self.starts.first { $0.name == name })
        let directory = try TemporaryDirectory()
        let path = try directory.write(try #require(kind.script) + "echo mended\n", to: name)
        chmod(path, name == "plain" ? 0o644 : 0o755)
        let daemon = try RunningDaemon("schemes: [n]\nroutes: [{ route: n:/a, exec: ['\(path)'] }]\n")
        let site = try DesktopSite(socket: daemon.socket)
        let output = try site.run("xcallback", "doctor", "--config", daemon.directory.path(of: "config.yaml")).output
        let lines = output.split(separator: "\n").drop { !$0.hasPrefix("FAULT") || !$0.contains(path) }
        let command = try #require(lines.dropFirst().first?.split(separator: "run: ").last, "\(output)")
        expect(try site.run("bash", "-c", String(command)).status, equals: 0, "\(command)")
        let answer = try await Client(socket: daemon.socket).open("n:/a")
        #expect(answer.url.hasPrefix("xcallback://x-callback-url/success"), "\(answer)")
    }
}
