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

    /// What is known of a program; nil if it is neither an interpreter nor runs another program.
    ///
    /// - Parameter name: Its name without a version.
    init?(of name: String) {
        switch name {
        case "sh", "bash", "rbash", "dash", "ash", "zsh", "ksh", "mksh", "csh", "tcsh":
            self.init("c", words: ["--rcfile", "--init-file"])
            takesPlus = true
            inputLetters = "s"
        case "fish": self.init("cC", words: ["--command", "--init-command"])
        case "nu": self.init("c", words: ["--commands"])
        case "pwsh": self.init("cCeE")
        case "python", "pypy": self.init("c", values: "WX", scripts: ["-m"])
        case "perl": self.init("eE", values: "IMmi")
        case "ruby": self.init("e", values: "Ir")
        case "php": self.init("rBRE", words: ["--run", "--process-begin", "--process-code", "--process-end"])
        case "julia": self.init("eE", words: ["--eval", "--print"])
        case "node", "nodejs", "bun", "elixir", "racket": self.init("ep", words: ["--eval", "--print"])
        case "lua", "luajit", "R", "Rscript", "tclsh", "groovy", "gnuplot": self.init("e")
        case "expect", "guile": self.init("c")
        case "octave": self.init("", words: ["--eval"])
        case "psql": self.init("c", words: ["--command"], permutes: true)
        case "mysql", "mariadb": self.init("e", words: ["--execute"], permutes: true)
        case "awk", "gawk", "mawk", "nawk":
            self.init("e", words: ["--source"], values: "fFiv", scripts: ["-f", "--file"], readsInput: false)
        case "sed":
            self.init(
                "e", words: ["--expression"], values: "fil", scripts: ["-f", "--file"], readsInput: false,
                permutes: true)
        case "vi", "vim", "nvim", "ex": self.init("c", words: ["--cmd"], readsInput: false, permutes: true)
        case "emacs":
            self.init(
                "", words: ["--eval", "-eval", "--execute", "-execute"], readsInput: false, permutes: true)
        case "xterm": self.init("e", readsInput: false)
        default: self.init(ofRunner: name)
        }
    }

    /// What is known of a program that runs another one.
    private init?(ofRunner name: String) {
        switch name {
        case "sudo", "doas", "pkexec", "nice", "ionice", "nohup", "setsid", "stdbuf", "time", "xargs", "systemd-run",
            "systemd-inhibit", "dbus-run-session", "strace", "ltrace", "valgrind", "unshare", "nsenter", "setpriv",
            "busybox", "toybox", "prlimit", "fakeroot", "firejail", "choom", "runcon":
            self.init(runnerAfter: 0)
        case "timeout", "chroot", "taskset", "chrt", "flock", "gosu", "setarch": self.init(runnerAfter: 1)
        case "su", "runuser", "script", "sg":
            self.init(runnerAfter: 0)
            codeLetters = "c"
            codeWords = ["--command", "--session-command"]
            permutes = true
        case "env":
            self.init(runnerAfter: 0)
            codeLetters = "S"
            codeWords = ["--split-string"]
            takesAssignments = true
        default: return nil
        }
    }
}
