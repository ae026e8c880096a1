/// How the arguments of an interpreter, or of a program that runs another one, are read.
struct InterpreterKind {
    /// The letters of options after which code is expected; they may be bundled, such as `-ec`.
    private var codeLetters = ""
    /// The letters of options that take the rest of their word.
    private var valueLetters = ""
    /// Long options after which code is expected.
    private var codeWords: [String] = []
    /// Options that name the script, so that arguments follow.
    private(set) var scriptOptions: [String] = []
    /// Whether its operand is another program, and not a script.
    private(set) var runsAnother = false
    /// How many operands stand before the program.
    private(set) var operandsBefore = 0
    /// Whether `NAME=value` may stand before the program.
    private(set) var takesAssignments = false

    /// An interpreter.
    private init(_ codeLetters: String, words: [String] = [], values: String = "", scripts: [String] = []) {
        self.codeLetters = codeLetters
        codeWords = words
        valueLetters = values
        scriptOptions = scripts
    }

    /// A program that runs another one.
    private init(runnerAfter operandsBefore: Int) {
        runsAnother = true
        self.operandsBefore = operandsBefore
    }

    /// Whether an option says that code follows, or holds code.
    func isCode(_ option: String) -> Bool {
        if codeWords.contains(where: { option == $0 || option.hasPrefix("\($0)=") }) { return true }
        if option.hasPrefix("--") { return false }
        return option.dropFirst().prefix { !valueLetters.contains($0) }.contains { codeLetters.contains($0) }
    }

    /// What is known of programs, by their names without a version.
    static let all: [String: InterpreterKind] = {
        var all: [String: InterpreterKind] = [
            "fish": InterpreterKind("cC", words: ["--command", "--init-command"]),
            "nu": InterpreterKind("c", words: ["--commands"]),
            "pwsh": InterpreterKind("cCeE"),
            "python": InterpreterKind("c", values: "WX", scripts: ["-m"]),
            "pypy": InterpreterKind("c", values: "WX", scripts: ["-m"]),
            "perl": InterpreterKind("eE", values: "IMmi"),
            "ruby": InterpreterKind("e", values: "Ir"),
            "php": InterpreterKind("rBRE", words: ["--run", "--process-begin", "--process-code", "--process-end"]),
            "julia": InterpreterKind("eE", words: ["--eval", "--print"]),
            "emacs": InterpreterKind("", words: ["--eval", "-eval", "--execute", "-execute"]),
            "sed": InterpreterKind("e", words: ["--expression"], scripts: ["-f", "--file"]),
        ]
        let shell = InterpreterKind("c", words: ["--rcfile", "--init-file"])
        for name in ["sh", "bash", "rbash", "dash", "ash", "zsh", "ksh", "mksh", "csh", "tcsh"] { all[name] = shell }
        let script = InterpreterKind("ep", words: ["--eval", "--print"])
        for name in ["node", "nodejs", "bun"] { all[name] = script }
        let awk = InterpreterKind("e", words: ["--source"], scripts: ["-f", "--file"])
        for name in ["awk", "gawk", "mawk", "nawk"] { all[name] = awk }
        for name in ["lua", "luajit", "Rscript", "tclsh"] { all[name] = InterpreterKind("e") }
        let user = InterpreterKind("c", words: ["--command", "--session-command"])
        for name in ["su", "runuser", "script", "guile"] { all[name] = user }
        for name in ["vi", "vim", "nvim", "ex"] { all[name] = InterpreterKind("c", words: ["--cmd"]) }
        for name in [
            "sudo", "doas", "pkexec", "nice", "ionice", "nohup", "setsid", "stdbuf", "time", "xargs", "systemd-run",
            "systemd-inhibit", "dbus-run-session", "strace", "unshare", "nsenter", "setpriv", "busybox", "toybox",
        ] { all[name] = InterpreterKind(runnerAfter: 0) }
        for name in ["timeout", "chroot", "taskset", "chrt", "flock"] { all[name] = InterpreterKind(runnerAfter: 1) }
        var environment = InterpreterKind(runnerAfter: 0)
        environment.codeLetters = "S"
        environment.codeWords = ["--split-string"]
        environment.takesAssignments = true
        all["env"] = environment
        return all
    }()
}
