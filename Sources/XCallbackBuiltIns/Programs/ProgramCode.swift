import XCallbackConfiguration
import XCallbackPipeline
import XCallbackRouting
import XCallbackURL
import XCallbackWire

/// Finds the arguments that a program runs as code, which cannot come from a request.
///
/// The table says for each program where its code is. Programs that are not in it run no code.
struct ProgramCode {
    /// The names of programs, what their operands are, and their options.
    ///
    /// - `data`: Operands are not code.
    /// - `script`: The first operand is code, or a file of code, unless an option gives the code.
    /// - `command`: The operands are another program and its arguments, after as many operands as the number says.
    /// - `code`: All operands and options are code, after as many operands as the number says.
    /// - `input`: A program that gets no code runs its standard input.
    /// - `any`: Options are also recognized after operands.
    /// - `-c`: Code follows the option. `-e!`: A command follows it. `-n=`: Its value is data.
    static let table = """
        sh bash dash ash zsh ksh mksh csh tcsh fish: script input -c --command --rcfile --init-file -o= +o= -O= +O=
        python pypy ipython: script input -c -m -W= -X=
        perl: script input -e -E -I=
        ruby: script input -e -I= -C=
        node nodejs bun deno: script input -e -p --eval --print -r --require --import
        lua luajit guile: script input -e -l
        php: script input -r -B -R -E -f -d= -c=
        tclsh wish expect gjs pwsh: script input -c -Command -File -I=
        R Rscript julia elixir ghc: script -e -E --eval
        awk gawk mawk: script input -e -f -i -l --source --file --include -v= -F=
        sed: script input any -e -f --expression --file -l=
        at batch: data input -f
        su watch parallel make gmake ninja socat hyperfine tmux screen bwrap proot: code
        swaymsg i3-msg hyprctl niri qtile awesome-client: code
        ssh mosh: code 1 -o -F -p= -l= -i= -J= -L= -R= -D= -E=
        sqlite: code 1
        psql mysql mariadb: data any -c -f -e --command --file --execute
        scp sftp: data any -o -F -S -b
        vi vim nvim gvim view vimdiff ex: data any + -c -S -s -u --cmd
        less more most: data any +
        emacs: data any -f -l --eval --execute --funcall --load
        emacsclient kak: code -c= -n= -t= -a= -s= -f=
        gdb lldb: data any -ex -ix -iex -x -o -s --command --eval-command --init-command
        rsync: data any -e --rsh --rsync-path
        tar: data any -I --use-compress-program --to-command --checkpoint-action --rsh-command
        nc ncat netcat: data any -e -c --exec --sh-exec
        script: data any -c --command
        man: data any -P -H --pager --html
        rofi: data any -run-command -run-shell-command -terminal -modi -modes
        find: data any -exec! -execdir! -ok! -okdir!
        fd fdfind: data any -x! -X! --exec! --exec-batch!
        xterm uxterm urxvt rxvt st konsole xfce4-terminal lxterminal mate-terminal: data -e! -x! --command!
        x-terminal-emulator gnome-terminal kgx ptyxis tilix terminator wezterm: data -e! -x! --command! --!
        foot footclient kitty alacritty: command -e! --command! -o= -T= -a= -c=
        git: command -c --exec-path --config-env -C=
        env: command -S --split-string -u= -C=
        sudo doas pkexec: command -u= -g= -h= -p= -C= -D= -R= -T= -U=
        runuser: command any -c --command --session-command -u= -g= -G=
        timeout chroot: command 1 -k= -s=
        flock: command 1 any -c --command -w= -E=
        nohup setsid busybox: command
        nice ionice: command -n= -c= -p=
        time stdbuf: command -i= -o= -e= -f=
        xargs: command -I= -n= -P= -d= -L= -a= -E= -s=
        systemd-run: command -p= -u= -E= -M= --unit= --property= --setenv= --slice= --uid= --on-active= --on-calendar=
        systemd-inhibit systemd-cat xvfb-run strace ltrace: command -t= -p= -n= -s= -f= -o= -e= -u= -E=
        dbus-run-session dbus-launch flatpak-spawn firejail unshare nsenter setpriv numactl unbuffer rlwrap: command
        chrt taskset: command 1
        """

    private struct Rule {
        enum Operands: String { case data, script, command, code }

        var operands = Operands.data
        var skipped = 0
        var runsInput = false
        var permutesOptions = false
        var codeOptions: [Substring] = []
        var commandOptions: [Substring] = []
        var valueOptions: [Substring] = []

        init(_ words: Substring) {
            for word in words.split(separator: " ") {
                if let operands = Operands(rawValue: String(word)) {
                    self.operands = operands
                } else if let count = Int(word) {
                    skipped = count
                } else {
                    add(word)
                }
            }
        }

        private mutating func add(_ word: Substring) {
            switch word {
            case "input": runsInput = true
            case "any": permutesOptions = true
            case _ where word.hasSuffix("!"): commandOptions.append(word.dropLast())
            case _ where word.hasSuffix("="): valueOptions.append(word.dropLast())
            default: codeOptions.append(word)
            }
        }

        /// Whether the next argument is code because of an option.
        func announcesCode(_ option: String) -> Bool {
            codeOptions.contains(option[...]) || option.isBundle && isCode(option)
        }

        /// Whether code follows an option, or is in it.
        func isCode(_ option: String) -> Bool {
            return codeOptions.contains { code in
                if option == code || option.hasPrefix("\(code)=") || code == "+" && option.hasPrefix("+") {
                    return true
                }
                guard code.count == 2, !option.hasPrefix("--"), let letter = code.last else { return false }
                return option.hasPrefix(code) || option.isBundle && option.last == letter
            }
        }
    }

    private static let rules: [Substring: Rule] = {
        var rules: [Substring: Rule] = [:]
        for line in table.split(separator: "\n") {
            let parts = line.split(separator: ":")
            for name in parts[0].split(separator: " ") { rules[name] = Rule(parts[1]) }
        }
        return rules
    }()

    /// An argument that cannot stand where it does.
    private struct Finding {
        let program: String
        let index: Int
        /// Whether the program would run its standard input.
        var isInput = false
    }

    let arguments: [ArgumentTemplate]
    /// The texts of the arguments without placeholders; nil for the others.
    private let words: [String?]
    private var finding: Finding?
    /// The programs that run arguments as code, by the indices of these arguments.
    private(set) var programs: [Int: Substring] = [:]
    /// Whether the next argument would be code.
    private(set) var announcesCode = false

    init(_ arguments: [ArgumentTemplate]) {
        self.arguments = arguments
        words = arguments.map { $0.literal.map { String(decoding: $0, as: UTF8.self) } }
        read(programAt: 0)
        // A program that is not in the table may run a shell.
        for index in words.indices.dropFirst() where finding == nil && programs.isEmpty {
            if rule(at: index)?.operands == .script { read(programAt: index, isCertain: false) }
        }
    }

    /// Reports the first placeholder that would be code or select it, or an interpreter that would run the request.
    func check(_ faults: FaultList) {
        for argument in arguments where argument.literal == nil {
            guard let name = ProgramEnvironment.Variable.codeName(setBy: argument.literalBeginning) else { continue }
            return faults.report(
                "what \(name.quoted) makes programs run or load cannot come from a request", at: argument.place)
        }
        guard let finding else { return }
        let (name, argument) = (finding.program, arguments[finding.index])
        faults.report(
            finding.isInput
                ? "\(name.quoted) would run what it reads, and standard input is the request: name a script"
                : "what \(name.quoted) runs cannot come from a request: put the code into a script of its own, and give it "
                    + "the value as an argument (a brace that belongs to the code is written '{{')\(hint(argument))",
            at: argument.place)
    }

    /// Advice on how shell code reads the first parameter of an argument.
    private func hint(_ argument: ArgumentTemplate) -> String {
        for case .parameter(let name, _, _) in argument.parts {
            let variable = ProgramEnvironment.Variable.name(ofParameter: String(decoding: name, as: UTF8.self))
            return ", or let the code read \"$\(variable)\""
        }
        return ""
    }

    // MARK: - Reading a command line

    private func rule(at index: Int) -> Rule? {
        words.indices.contains(index) ? words[index].flatMap { Self.rules[programName($0)] } : nil
    }

    private mutating func fail(_ program: Int, _ index: Int, isInput: Bool = false) {
        let name = words[program].map { String(programName($0)) } ?? ""
        finding = finding ?? Finding(program: name, index: index, isInput: isInput)
    }

    /// Reads the options and operands of a program, until a finding or another program.
    ///
    /// - Parameters:
    ///   - start: The index of the program.
    ///   - isCertain: Whether the word is a program, and not only its name; otherwise only options tell of code.
    private mutating func read(programAt start: Int, isCertain: Bool = true) {
        guard let rule = rule(at: start) else { return }
        if rule.operands == .code { return readCode(start, rule) }
        announcesCode = false
        var state = ReadingState(isCertain: isCertain)
        var index = start + 1
        while index < words.count, finding == nil, !state.isAtEnd {
            let text = arguments[index].literalBeginning
            let isOption =
                !state.isAfterDashes && (text.hasPrefix("-") || text.hasPrefix("+")) && words[index]?.count != 1
            if isOption {
                readOption(text, at: index, of: start, rule, &state)
                if rule.valueOptions.contains(text[...]) { index += 1 }
            } else {
                readOperand(at: index, of: start, rule, &state)
            }
            index += 1
        }
        if rule.runsInput, !state.hasCode, start == 0 { fail(start, start, isInput: true) }
    }

    private struct ReadingState {
        let isCertain: Bool
        var operandCount = 0
        /// Whether an option or an operand has given the code.
        var hasCode = false
        var isAfterDashes = false
        var isAtEnd = false
    }

    private mutating func readOption(
        _ text: String, at index: Int, of start: Int, _ rule: Rule, _ state: inout ReadingState
    ) {
        let hasPlaceholder = words[index] == nil
        if rule.commandOptions.contains(text.prefix { $0 != "=" }) {
            if hasPlaceholder { fail(start, index) } else { readCommand(at: index + 1, of: start) }
            state.isAtEnd = !rule.permutesOptions
        } else if text == "--", !hasPlaceholder {
            state.isAfterDashes = true
        } else if rule.isCode(text) {
            programs[index] = words[start].map(programName)
            if hasPlaceholder { fail(start, index) }
            state.hasCode = true
            announcesCode = rule.announcesCode(text)
        } else if hasPlaceholder, rule.operands != .data, !state.hasCode,
            !rule.valueOptions.contains(where: text.hasPrefix)
        {
            // The option may load code.
            if state.isCertain { fail(start, index) }
        }
    }

    private mutating func readOperand(at index: Int, of start: Int, _ rule: Rule, _ state: inout ReadingState) {
        let word = words[index]
        if announcesCode {
            programs[index] = words[start].map(programName)
            if word == nil { fail(start, index) }
            state.hasCode = word.map(isInput) != true
            announcesCode = false
            state.isAtEnd = !rule.permutesOptions
        } else if !state.isCertain || rule.operands == .script && state.hasCode {
            state.isAtEnd = !rule.permutesOptions
        } else if rule.operands == .script {
            if word == nil { fail(start, index) }
            state.hasCode = word.map(isInput) != true
            state.isAtEnd = !rule.permutesOptions || !state.hasCode
        } else if rule.operands == .command, !arguments[index].isAssignment {
            if state.operandCount >= rule.skipped { readCommand(at: index, of: start) }
            state.operandCount += 1
            state.isAtEnd = state.operandCount > rule.skipped && (!rule.permutesOptions || state.isAfterDashes)
        } else if rule.operands == .data, word == nil, !state.isAfterDashes, rule.codeOptions.contains("+") {
            // The value may begin with a plus sign.
            if arguments[index].literalBeginning.isEmpty { fail(start, index) }
        }
    }

    /// Reads a command that a program runs; a request cannot choose it.
    private mutating func readCommand(at index: Int, of start: Int) {
        guard words.indices.contains(index) else { return }
        if words[index] == nil { fail(start, index) } else { read(programAt: index) }
    }

    /// Reads a program whose operands are all code, after those that the rule skips.
    private mutating func readCode(_ start: Int, _ rule: Rule) {
        var operandCount = 0
        var index = start + 1
        while index < words.count {
            let text = arguments[index].literalBeginning
            let isCode = operandCount >= rule.skipped || rule.isCode(text)
            if isCode {
                programs[index] = words[start].map(programName)
                if words[index] == nil { return fail(start, index) }
            }
            if !text.hasPrefix("-") { operandCount += 1 }
            if rule.isCode(text), index + 1 < words.count, words[index + 1] == nil { return fail(start, index + 1) }
            index += rule.valueOptions.contains(text[...]) ? 2 : 1
        }
    }
}

/// Whether a script is standard input.
private func isInput(_ script: String) -> Bool {
    ["-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"].contains(script)
}

/// Returns the name of a program without its directory and version: `python` for `python3.11`.
private func programName(_ word: String) -> Substring {
    let name = word.split(separator: "/").last ?? ""
    return name.dropLast(name.reversed().prefix { $0.isNumber || $0 == "." || $0 == "-" }.count)
}

extension String {
    /// Whether an option is a few letters, which may be several options.
    fileprivate var isBundle: Bool { count <= 5 && dropFirst().allSatisfy(\.isLetter) }
}

extension ArgumentTemplate {
    /// The literal text before the first placeholder.
    fileprivate var literalBeginning: String {
        guard case .literal(let text)? = parts.first else { return "" }
        return String(decoding: text, as: UTF8.self)
    }

    /// Whether the argument sets a variable with a literal name: `NAME=`.
    fileprivate var isAssignment: Bool {
        let name = literalBeginning.utf8.prefix { $0 != UInt8(ascii: "=") }
        return name.count < literalBeginning.utf8.count && name.allSatisfy(isNameByte)
    }
}

extension ProgramCode {
    /// Warns about what only a shell would understand, and about variables that the program does not have.
    ///
    /// - Parameters:
    ///   - texts: The arguments as written in the configuration.
    ///   - source: The stage of the program.
    func warn(_ texts: [String], _ source: StageSource) {
        for (index, argument) in arguments.enumerated().dropFirst() {
            let text = argument.literalText
            let words = text.utf8.split { !isNameByte($0) }.map { String(Substring($0)) }
            // Of other syntaxes, only the URL itself has everything that a program may need.
            if source.route.isPublic, source.route.pattern.syntax == .callback, words.contains("XCALLBACK_URL") {
                source.faults.warn(
                    "this code reads XCALLBACK_URL, which a web page can spell in many ways: use XCALLBACK_ACTION and "
                        + "XCALLBACK_QUERY, which are what the route has matched", at: argument.place)
            }
            if let program = programs[index] {
                warnOfVariables(
                    words, in: text, isShell: Self.shells.contains(program), at: argument.place, source)
            } else if programs.isEmpty, Self.isForShell(text) {
                source.faults.warn(
                    "\(texts[index].quoted) is passed literally because no shell reads it: write placeholders such as "
                        + "'{name}' for values, or \(Self.example) for a shell", at: argument.place)
            }
        }
    }

    /// The advice about a command line in the place of a list.
    static let lineAdvice = "each word is an element; for a shell, write \(example)"
    private static let example = "[sh, -c, 'CODE']"
    /// Shells that read a variable as `$name`, and have none with names in lower case.
    private static let shells: Set<Substring> = ["sh", "bash", "dash", "ash", "ksh", "mksh"]

    /// Whether a word is an operator, or begins with a home folder or a variable, or runs a command.
    private static func isForShell(_ word: String) -> Bool {
        let operators = ["|", "||", "&&", "&", ">", ">>", "<", "2>", "2>>", "&>", "2>&1"]
        if operators.contains(word) || word == "~" || word.hasPrefix("~/") || word.contains(text: "$(") { return true }
        if let sign = ["| ", "> ", ">/", ">>", "< "].first(where: word.hasPrefix) { return word.count > sign.count }
        return expansions(in: word).contains { $0.first?.isUppercase == true && $0 == $0.uppercased() }
    }

    /// The names after dollar signs: `$name` and `${name}`.
    private static func expansions(in text: String) -> [String] {
        text.split(separator: "$", omittingEmptySubsequences: false).dropFirst().map { rest in
            String(Substring(rest.drop { $0 == "{" }.utf8.prefix(while: isNameByte)))
        }
    }

    /// Warns about the variable of a parameter that the route does not have, and about `$id` for the parameter `id`.
    private func warnOfVariables(
        _ words: [String], in code: String, isShell: Bool, at place: Place, _ source: StageSource
    ) {
        guard !source.route.isOpen else { return }
        let parameters = source.route.parameterNames
        let variables = parameters.map { ProgramEnvironment.Variable.name(ofParameter: $0) }
        let start = ProgramEnvironment.Variable.name(ofParameter: "")
        for name in Set(words).sorted() where name.hasPrefix(start) && name != start && !variables.contains(name) {
            let parameter = name.dropFirst(start.count).lowercased()
            let advice = name.nearest(among: variables).map { "did you mean \($0)?" }
            source.faults.warn(
                "this route has no parameter in \(name); \(advice ?? "declare it with 'input: { \(parameter): string }'")",
                at: place)
        }
        for (name, variable) in zip(parameters, variables) where isShell {
            // Code that sets the variable names it without a dollar sign.
            let count = words.count { $0 == name }
            guard count > 0, count == Self.expansions(in: code).count(where: { $0 == name }) else { continue }
            source.faults.warn(
                "'$\(name)' is not a variable of this code: the parameter is in \"$\(variable)\"", at: place)
        }
    }
}

/// Whether a byte can be part of a name: a letter or a digit of ASCII, or `_`.
func isNameByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"): true
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"): true
    default: false
    }
}

extension ArgumentTemplate {
    /// The literal text, with a NUL for each placeholder.
    fileprivate var literalText: String {
        parts.map { if case .literal(let text) = $0 { String(decoding: text, as: UTF8.self) } else { "\0" } }.joined()
    }
}
