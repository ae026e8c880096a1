/// How the arguments of an interpreter, or of a program that runs another one, are read.
struct InterpreterKind {
    /// The letters of options after which code is expected; they may be bundled, such as `-ec`.
    private var codeLetters = ""
    /// The letters of options that take the rest of their word.
    private var valueLetters = ""
    /// Long options after which code is expected.
    private var codeWords: [String] = []
    /// Options that name the script, so that arguments follow.
    private var scriptOptions: [String] = []
    /// Letters of options that make it run what it reads.
    private var inputLetters = ""
    /// Whether it runs what it reads if there is no script.
    private(set) var readsInput = false
    /// Whether options also count behind operands.
    private(set) var permutes = false
    /// Whether options may begin with `+`.
    private var takesPlus = false
    /// Whether its operand is another program, and not a script.
    private(set) var runsAnother = false
    /// How many operands stand before the program.
    private(set) var operandsBefore = 0
    /// Whether `NAME=value` may stand before the program.
    private(set) var takesAssignments = false

    /// An interpreter.
    private init(
        _ codeLetters: String, words: [String] = [], values: String = "", scripts: [String] = [],
        readsInput: Bool = true, permutes: Bool = false
    ) {
        self.codeLetters = codeLetters
        codeWords = words
        valueLetters = values
        scriptOptions = scripts
        self.readsInput = readsInput
        self.permutes = permutes
    }

    /// A program that runs another one.
    private init(runnerAfter operandsBefore: Int) {
        runsAnother = true
        self.operandsBefore = operandsBefore
    }

    /// Whether a word is an option.
    func isOption(_ word: String) -> Bool {
        word.count > 1 && (word.hasPrefix("-") || (takesPlus && word.hasPrefix("+")))
    }

    /// Whether an option says that code follows, or holds code.
    func isCode(_ option: String) -> Bool {
        if codeWords.contains(where: { option == $0 || option.hasPrefix("\($0)=") }) { return true }
        return has(option, codeLetters)
    }

    /// Whether an option says that what it reads is run.
    func isInput(_ option: String) -> Bool { has(option, inputLetters) }

    /// Whether it is known which options have a value, as it is of shells.
    var knowsValues: Bool { takesPlus }

    /// Whether the word after an option may be its value.
    ///
    /// In shells that is so for `-o`, `-O`, `+o` and `+O`.
    func mayHaveValue(_ option: String) -> Bool {
        guard knowsValues else { return !option.contains("=") }
        return !option.hasPrefix("--") && (option.hasSuffix("o") || option.hasSuffix("O"))
    }

    /// Whether an option only asks for the version, or for help, so that nothing is run.
    func asksForVersion(_ option: String) -> Bool {
        option == "--version" || option == "--help" || (!knowsValues && ["-V", "-v", "-h"].contains(option))
    }

    /// How many words an option that names the script has: 1 if it holds the name, 2 if that follows, 0 for others.
    func scriptLength(_ option: String) -> Int {
        guard let name = scriptOptions.first(where: { option.hasPrefix($0) }) else { return 0 }
        return option == name ? 2 : 1
    }

    private func has(_ option: String, _ letters: String) -> Bool {
        if option.hasPrefix("--") { return false }
        return option.dropFirst().prefix { !valueLetters.contains($0) }.contains { letters.contains($0) }
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
            "expect": InterpreterKind("c"),
            "guile": InterpreterKind("c"),
            "octave": InterpreterKind("", words: ["--eval"]),
            "psql": InterpreterKind("c", words: ["--command"], permutes: true),
            "emacs": InterpreterKind(
                "", words: ["--eval", "-eval", "--execute", "-execute"], readsInput: false, permutes: true),
            "sed": InterpreterKind(
                "e", words: ["--expression"], values: "fil", scripts: ["-f", "--file"], readsInput: false,
                permutes: true),
            "xterm": InterpreterKind("e", readsInput: false),
        ]
        var shell = InterpreterKind("c", words: ["--rcfile", "--init-file"])
        shell.takesPlus = true
        shell.inputLetters = "s"
        for name in ["sh", "bash", "rbash", "dash", "ash", "zsh", "ksh", "mksh", "csh", "tcsh"] { all[name] = shell }
        let script = InterpreterKind("ep", words: ["--eval", "--print"])
        for name in ["node", "nodejs", "bun", "elixir", "racket"] { all[name] = script }
        let awk = InterpreterKind(
            "e", words: ["--source"], values: "fFiv", scripts: ["-f", "--file"], readsInput: false)
        for name in ["awk", "gawk", "mawk", "nawk"] { all[name] = awk }
        for name in ["lua", "luajit", "R", "Rscript", "tclsh", "groovy", "gnuplot"] { all[name] = InterpreterKind("e") }
        for name in ["mysql", "mariadb"] { all[name] = InterpreterKind("e", words: ["--execute"], permutes: true) }
        for name in ["vi", "vim", "nvim", "ex"] {
            all[name] = InterpreterKind("c", words: ["--cmd"], readsInput: false, permutes: true)
        }
        for (name, kind) in runners { all[name] = kind }
        return all
    }()

    /// Programs that run another one.
    private static let runners: [String: InterpreterKind] = {
        var all: [String: InterpreterKind] = [:]
        for name in [
            "sudo", "doas", "pkexec", "nice", "ionice", "nohup", "setsid", "stdbuf", "time", "xargs", "systemd-run",
            "systemd-inhibit", "dbus-run-session", "strace", "ltrace", "valgrind", "unshare", "nsenter", "setpriv",
            "busybox", "toybox", "prlimit", "fakeroot", "firejail", "choom", "runcon",
        ] { all[name] = InterpreterKind(runnerAfter: 0) }
        for name in ["timeout", "chroot", "taskset", "chrt", "flock", "gosu", "setarch"] {
            all[name] = InterpreterKind(runnerAfter: 1)
        }
        var user = InterpreterKind(runnerAfter: 0)
        user.codeLetters = "c"
        user.codeWords = ["--command", "--session-command"]
        user.permutes = true
        for name in ["su", "runuser", "script", "sg"] { all[name] = user }
        var environment = InterpreterKind(runnerAfter: 0)
        environment.codeLetters = "S"
        environment.codeWords = ["--split-string"]
        environment.takesAssignments = true
        all["env"] = environment
        return all
    }()
}
