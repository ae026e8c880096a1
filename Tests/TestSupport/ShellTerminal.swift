import Glibc
package import XCallbackTesting

/// A shell as people use it: on a terminal, with the installed completion.
package struct ShellTerminal {
    /// The shells.
    package static let shells = ["bash", "zsh", "fish"]

    /// Typed text, its display in the shell, and the resulting words.
    package struct Result {
        /// The complete output to the terminal.
        package let screen: String
        /// The words of the line, as the shell parses it after the keys.
        package let words: [String]
    }

    /// Runs the shell in Python, which supports pseudo-terminals.
    ///
    /// It types the line and the keys, then turns the line into a command that prints its words.
    private static let script = #"""
        import os, pty, select, sys
        shell, folder, line, keys, more = sys.argv[1:6]
        words = {"bash": ["bash", "--norc", "--noprofile", "-i"], "zsh": ["zsh", "-f", "-i"], "fish": ["fish", "--no-config", "-i"]}[shell]
        setup = {
            "bash": "bind 'set bell-style none'; bind 'set enable-bracketed-paste off'; "
                + f"source {folder}/xcallback.bash; source {folder}/xcallbackd.bash",
            "zsh": f"unsetopt beep; fpath=({folder}/zsh $fpath); autoload -U compinit; compinit -u -D",
            "fish": f"source {folder}/xcallback.fish; source {folder}/xcallbackd.fish; set -g fish_autosuggestion_enabled 0",
        }[shell]
        pid, terminal = pty.fork()
        if pid == 0:
            os.chdir(folder)
            os.execvp(words[0], words)
        def read(end):
            text = b""
            while end not in text:
                if not select.select([terminal], [], [], 60)[0]:
                    break
                part = os.read(terminal, 65536)
                text += part
                if b"\x1b[c" in part or b"\x1b[0c" in part:
                    os.write(terminal, b"\x1b[?62;c")
            return text
        os.write(terminal, (setup + more + "; stty cols 300; echo QQ''1\n").encode())
        read(b"QQ1")
        os.write(terminal, line.encode() + keys.replace("\\t", "\t").encode())
        os.write(terminal, b"\x01printf '\\n<%s>' \x05; echo; echo QQ''2\n")
        sys.stdout.buffer.write(read(b"QQ2").replace(b"\r", b""))
        """#

    private let directory: TemporaryDirectory
    private let socket: String

    /// Prepares the shells.
    ///
    /// - Parameter socket: The socket of the daemon.
    /// - Throws: ``TestFailure`` if the scripts cannot be created.
    package init(socket: String) throws {
        self.socket = socket
        directory = try TemporaryDirectory()
        chmod(directory.path, 0o711)
        try directory.write(Self.script, to: "terminal.py")
        for shell in Self.shells {
            let output = shell == "zsh" ? "zsh/_xcallback" : "xcallback.\(shell)"
            try directory.write("", to: output)
            let status = try ChildProcess(
                [RunningDaemon.program("xcallback"), "--generate-completion-script", shell],
                output: directory.path(of: output)
            ).wait()
            guard status == 0 else { throw TestFailure("no script for \(shell)") }
            let own = try textOfPackageFile("config/completions/xcallbackd.\(shell)")
            try directory.write(own, to: shell == "zsh" ? "zsh/_xcallbackd" : "xcallbackd.\(shell)")
        }
    }

    /// The folder of the shells.
    package var folder: TemporaryDirectory { directory }

    /// Types a line and some keys, and returns the result.
    ///
    /// A daemon that takes longer than a person waits for a completion offers nothing, and is asked again, twice at most.
    ///
    /// - Parameters:
    ///   - line: The typed text.
    ///   - shell: The shell.
    ///   - keys: The keys after the text, `\t` for TAB.
    ///   - setting: A command to run before.
    ///   - isExpected: Whether a result is the expected one.
    /// - Returns: The display and the words of the shell.
    /// - Throws: ``TestFailure`` if the shell cannot be run.
    package func type(
        _ line: String, in shell: String, keys: String = "\\t", after setting: String = ":",
        until isExpected: (Result) -> Bool = { _ in true }
    ) throws -> Result {
        var result = try typeOnce(line, in: shell, keys: keys, after: setting)
        for _ in 0..<2 where !isExpected(result) {
            result = try typeOnce(line, in: shell, keys: keys, after: setting)
        }
        return result
    }

    private func typeOnce(_ line: String, in shell: String, keys: String, after setting: String) throws -> Result {
        let programs = try RunningDaemon.program("xcallback").dropLast("/xcallback".count)
        let (status, screen) = try ChildProcess.run(
            [
                "/usr/bin/python3", directory.path(of: "terminal.py"), shell, directory.path, line, keys,
                "; \(setting)",
            ],
            environment: [
                "PATH=\(programs):/usr/bin:/bin", "HOME=\(directory.path)", "TERM=xterm", "LANG=C.UTF-8",
                "XCALLBACK_SOCKET=\(socket)",
            ])
        guard status == 0 else { throw TestFailure(screen) }
        let words = screen.replacing("\r", with: "").split(separator: "\n").compactMap { line -> String? in
            guard let start = line.firstIndex(of: "<"), line.hasSuffix(">"), !line.contains("printf") else {
                return nil
            }
            return String(line[line.index(after: start)...].dropLast())
        }
        return Result(screen: screen, words: words)
    }
}
