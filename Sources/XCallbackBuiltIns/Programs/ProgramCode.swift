import XCallbackConfiguration
import XCallbackPrograms

/// Finds the arguments that a program runs as code, which cannot come from a request.
///
/// A value whose type cannot be code is never found. For other values, a table says for each program where its code is;
/// in doubt, a value counts as code. Programs that are not in the table run no code.
struct ProgramCode {
    /// Where each program has code: a line for programs that have it at the same places.
    ///
    /// The first line has the long options that have no value in any program; others that are not here have one. The
    /// second has the options of all scripts. All others begin with the names of programs, with subcommands behind a
    /// slash, and say what their operands and their options are.
    ///
    /// - `data`: Operands are not code.
    /// - `script`: The first operand is code, or a file of code, unless an option gives the code.
    /// - `command`: The operands are another program and its arguments. `sub`: They are a subcommand and its arguments.
    /// - `code`: All operands are code.
    /// - `1`: That holds after one operand.
    /// - `input`: A program that gets no code runs its standard input.
    /// - `any`: Reading goes on after a command. `more`: It goes on after code.
    /// - `colon`: An operand that begins with a colon is code.
    /// - `-x=`: The option's value is data. `-x!`: It is code. `-x*`: It is code besides the script. `-x>`: A command
    ///   follows. `-x^`: With this option, all is code. `-abc.`: These letters have no values. Other letters have none,
    ///   either, except before a command.
    static let table = """
        --norc --noprofile --verbose --quiet --batch --clean --remote --no-wait --create-frame --tty --interactive \
        --rm --foreground --preserve-status --ignore-environment --fork --scope --collect --pipe --no-block \
        --non-interactive --no-pager --no-warnings --archive --delete --recursive --extract --create --reverse
        -c! -e! -E! -f! -m! -g! -jar! --command! --eval! --print! --expression! --file! --source! --execute!
        sh bash rbash dash ash zsh ksh mksh csh tcsh fish nu python pypy ipython: script input -o= +o= -O= +O= -W= -X=
        perl ruby node nodejs lua luajit R Rscript julia gnuplot m4 osascript yash elvish xonsh irb racket sbcl \
        clojure erl groovy scala ghc qml dotnet ts-node: script input more -r* -I* -C* -l*
        php guile gjs tclsh wish expect ocaml octave swipl tsx dc elixir: script input -d* -r! -B! -R!
        awk gawk mawk: script input more -i* -l* -v= -F=
        sed: script input more -E.
        java mono crontab run-parts cmake blender go/run deno/run bun/run: script -cp* -classpath* -u=
        at batch: data input -f!
        make gmake ninja watch parallel entr socat tmux screen zellij bwrap su setarch swaymsg i3-msg hyprctl niri \
        pwsh powershell powershell.exe cmd cmd.exe ansible adb/shell deno/eval pip/install awesome-client kubectl/run \
        git/config git/submodule git/bisect hyperfine byobu proot qtile nix-shell machinectl ansible-playbook: code
        ssh mosh sqlite duckdb mongosh sg: code 1 -p= -l= -i= -J= -L= -R= -D= -o! -F! -c! -I! -cmd! -init!
        psql mysql mariadb scp sftp script man nc ncat netcat: data -c! -f! -e! -o! -F! -S! -P! -H! -b! --command! \
        --file! --exec! --sh-exec! --pager! --html! --execute!
        vi vim nvim gvim view vimdiff ex less more most: data +! -c! -S! -s! -u! -l!
        emacsclient: data any -e^ --eval^ -a> --alternate-editor>
        emacs gdb lldb kak: data -f! -l! -x! -e! -ex! -iex! -o! -eval! -script! -load! -funcall! -s! --eval! \
        --execute! --funcall! --load! --script! --command! --eval-command! --init-command! --args>
        qutebrowser: data colon
        rsync wget tar: data -e! -I! -F! --rsh! --rsync-path! --rsh-command! --execute! --use-askpass! \
        --use-compress-program! --to-command! --checkpoint-action! --file=
        rofi fzf sort split: data -run-command! -run-shell-command! -terminal! -modi! -modes! --preview! --bind! \
        --compress-program! --filter!
        find fd fdfind: data any -exec> -execdir> -ok> -okdir> -x> -X> --exec> --exec-batch> --extension=
        uxterm urxvt rxvt st konsole xfce4-terminal lxterminal mate-terminal kgx tilix terminator ghostty ptyxis \
        x-terminal-emulator gnome-terminal: data -e> -x> --command> -->
        git: sub -C= -c! --exec-path! --config-env!
        git/clone git/rebase git/difftool git/fetch git/pull: data -c! -x! -u! --upload-pack! --exec! --extcmd! --config!
        docker podman kubectl flatpak wezterm distrobox go xdotool npm pipx uv nix deno bun pip adb hg svn conda lxc \
        oc toolbox pnpm yarn snap docker/compose: sub -n=
        timeout taskset faketime chrt chroot docker/run podman/run docker/exec podman/exec kubectl/exec \
        distrobox/enter docker/compose/exec docker/compose/run lxc/exec oc/exec: command 1 -itd.
        flock runuser: command 1 -nsx. -c! --command! --session-command!
        env sudo doas pkexec: command -AbEHinPk0v. --split-string!
        setsid strace ltrace unshare xargs: command -cfrt0.
        nohup run0 busybox catchsegv start-stop-daemon unbuffer wine valgrind nice ionice time stdbuf prlimit systemd-run \
        systemd-inhibit systemd-cat systemd-nspawn xvfb-run dbus-run-session flatpak-spawn firejail setpriv nsenter \
        numactl rlwrap dbus-launch ld.so ld-linux-x86-64.so: command -a. --user. --host. --wait. --property!
        xterm foot footclient kitty alacritty wezterm/start npx bunx uvx npm/exec xdotool/exec flatpak/run pipx/run \
        uv/run nix/run conda/run toolbox/run pnpm/dlx yarn/dlx snap/run: command -y. -e> --command^
        """

    /// What an option does with its value.
    private enum Effect: Character {
        case value = "=", code = "!", load = "*", command = ">", all = "^", none = ".", unknown = "?"
    }

    private struct Rule {
        let name: Substring
        private var traits: Set<Substring> = []
        private var options: [Substring: Effect] = [:]
        var isCommand: Bool { has("command") || has("sub") }

        init(_ name: Substring, _ words: [Substring]) {
            self.name = name
            for word in words {
                let effect = word.count > 1 ? word.last.flatMap(Effect.init) : nil
                if let effect { options[word.dropLast()] = effect } else { traits.insert(word) }
                for letter in word.dropFirst().dropLast() where effect == Effect.none && !word.hasPrefix("--") {
                    options["-\(letter)"] = effect
                }
            }
        }

        func has(_ trait: Substring) -> Bool { traits.contains(trait) }

        /// What an option does, and whether its value is in the same word.
        func effect(of text: String) -> (Effect, isWhole: Bool) {
            let name = text.prefix { $0 != "=" }
            let isWhole = name.count < text.count
            if let effect = options[name] { return (effect, isWhole) }
            if ProgramCode.flags.contains(name) { return (.none, isWhole) }
            if name.hasPrefix("--") {
                // Programs accept the beginning of a name.
                let found = options.first { name.count > 3 && $0.key.hasPrefix(name) && $0.value != .value }
                return (found?.value ?? .unknown, isWhole)
            }
            if let effect = options[name.prefix(1)] { return (effect, true) }
            let letters = name.dropFirst()
            let isUnknown = isCommand && letters.contains { options["-\($0)"] == nil }
            guard letters.count < 5 || isUnknown, letters.allSatisfy(\.isLetter), let last = letters.last else {
                return (options[name.prefix(2)] ?? .none, true)
            }
            if isUnknown { return (.unknown, isWhole) }
            return (options["-\(last)"] ?? .none, isWhole)
        }
    }

    private static let lines = table.split(separator: "\n")
    private static let flags = Set(lines[0].split(separator: " "))
    private static let rules: [Substring: Rule] = lines.dropFirst(2).reduce(into: [:]) { rules, line in
        let parts = line.split(separator: ":").map { $0.split(separator: " ") }
        let common = parts[1].first == "script" ? lines[1].split(separator: " ") : []
        for name in parts[0] { rules[name] = Rule(name, common + parts[1]) }
    }

    let arguments: [ArgumentTemplate]
    /// The texts of the arguments without placeholders; nil for the others.
    private let words: [String?]
    /// The first argument that is code, or an interpreter that gets none; and how to write a value.
    private var finding: (index: Int, rule: Rule, advice: String?)?
    /// The programs that run arguments as code, by the indices of these arguments.
    private(set) var programs: [Int: Substring] = [:]
    /// The index of the last program that another one starts.
    private(set) var innerProgram: Int?
    /// Whether the next argument would be code.
    private(set) var announcesCode = false

    init(_ arguments: [ArgumentTemplate]) {
        self.arguments = arguments
        words = arguments.map { $0.literal.map { String(decoding: $0, as: UTF8.self) } }
        for index in words.indices where finding == nil && programs.isEmpty {
            // Another program, and a subcommand, may run a shell.
            guard let rule = rule(at: index), index == 0 || rule.has("script") else { continue }
            read(rule, at: index, isCertain: index == 0)
        }
    }

    /// Reports the first placeholder that would be code or select it, or an interpreter that would run the request.
    func check(_ faults: FaultList) {
        for argument in arguments where argument.isFree {
            guard let name = ProgramEnvironment.Variable.codeName(setBy: argument.literalBeginning) else { continue }
            return faults.report(
                "what \(name.quoted) makes programs run or load cannot come from a request", at: argument.place)
        }
        guard let (index, rule, advice) = finding else { return }
        let (argument, name) = (arguments[index], rule.name.split(separator: "/").joined(separator: " ").quoted)
        let (isScript, isParameter) = (rule.has("script"), !argument.firstName.hasPrefix("@"))
        let variable = ProgramEnvironment.Variable.name(ofParameter: argument.firstName)
        let ways = [
            advice,
            isScript ? "give it to a script as an argument, [sh, -c, 'CODE \"$1\"', sh, VALUE] ('{{' is a brace)" : nil,
            isScript && isParameter ? "let the code read \"$\(variable)\"" : nil,
            isParameter ? "declare '\(argument.firstName)' as int, number, bool, uuid, date or enum" : nil,
            "write 'allow-code: true'",
        ]
        faults.report(
            argument.isFree
                ? "what \(name) runs cannot come from a request: \(ways.compactMap(\.self).joined(separator: ", or "))"
                : "\(name) would run what it reads, and standard input is the request: name a script",
            at: argument.place)
    }

    private func rule(at index: Int, of parent: Rule? = nil) -> Rule? {
        guard let name = words[index]?.split(separator: "/").last else { return nil }
        // The name without a version: `python` for `python3.11`.
        let short = name.dropLast(name.reversed().prefix { $0.isNumber || $0 == "." || $0 == "-" }.count)
        let start = parent.map { "\($0.name)/" } ?? ""
        return Self.rules["\(start)\(name)"] ?? Self.rules["\(start)\(short)"]
    }

    // MARK: - Reading a command line

    /// Reads the options and operands of a program, until a finding or another program.
    ///
    /// - Parameters:
    ///   - rule: Its rule.
    ///   - start: Its index.
    ///   - isCertain: Whether the word is a program, and not only its name; otherwise only options tell of code.
    private mutating func read(_ rule: Rule, at start: Int, isCertain: Bool = true) {
        var pending = Effect.none
        /// Advice on an option that may have a value, so that the next operand may be anything.
        var doubt: String?
        var isBefore = rule.has("1")
        var (hasCode, isAfterDashes, isAtEnd) = (false, false, false)
        for index in words.indices.dropFirst(start + 1) where finding == nil && !isAtEnd {
            let text = arguments[index].literalBeginning
            let isDashed = text.hasPrefix("-") || text.hasPrefix("+")
            if isDashed, !isAfterDashes, pending != .value, words[index] != "-" || rule.isCommand {
                let (known, isWhole) = rule.effect(of: text)
                let effect = known == .unknown && !isCertain ? .none : known
                if effect == .all { refuse(words.indices, rule, "leave \(text.quoted) out") }
                if words[index] == "--", known == .unknown {
                    (isAfterDashes, doubt) = (true, nil)
                    if pending == .unknown { pending = .none }
                    continue
                }
                let isHarmless = effect == .value || effect == .unknown && isWhole && !rule.has("script")
                if !isHarmless, isCertain || effect != .none { refuse([index], rule) }
                if effect == .code { hasCode = true }
                if effect != .none || pending == .unknown { pending = isWhole || words[index] == nil ? .none : effect }
                if pending == .unknown {
                    doubt = "write '--' before it\(text.hasPrefix("--") ? ", or '\(text)=VALUE'" : "")"
                }
                continue
            }
            switch pending {
            case .command:
                readCommand(at: index, of: nil, rule, nil)
                isAtEnd = !rule.has("any")
            case .code, .load:
                programs[index] = rule.name
                refuse([index], rule)
                isAtEnd = pending == .code && rule.has("script") && !rule.has("more")
                if isInput(index) { (hasCode, isAtEnd) = (false, true) }
            case .unknown: refuse([index], rule, doubt)
            case .value, .all: break
            case .none where !isCertain || hasCode && rule.has("script"):
                if rule.name == "perl", opensOperands(words[start..<index]) {
                    refuse(index..<words.count, rule, "let the code read standard input")
                }
                isAtEnd = true
            case .none where isBefore:
                isBefore = false
                if rule.isCommand || doubt != nil { refuse([index], rule, doubt) }
            case .none where rule.has("script"):
                refuse([index], rule, doubt)
                hasCode = !isInput(index)
                isAtEnd = true
            case .none where rule.has("code"):
                for index in index..<words.count { programs[index] = rule.name }
                refuse(index..<words.count, rule)
            case .none where rule.isCommand:
                if rule.has("command"), arguments[index].isAssignment { continue }
                readCommand(at: index, of: rule.has("sub") ? rule : nil, rule, doubt)
                isAtEnd = true
            case .none:
                if rule.effect(of: "+").0 == .code, arguments[index].startsFreely, !isAfterDashes {
                    refuse([index], rule, "write '--' before it")
                } else if rule.has("colon"), arguments[index].startsFreely {
                    refuse([index], rule, "declare '\(arguments[index].firstName)' as url")
                }
            }
            pending = .none
        }
        announcesCode = announcesCode || pending == .code || pending == .load
        if rule.has("input"), !hasCode, isCertain { finding = finding ?? (start, rule, nil) }
    }

    /// Reads a command that a program runs; a request cannot choose it.
    private mutating func readCommand(at index: Int, of parent: Rule?, _ rule: Rule, _ advice: String?) {
        if parent == nil { innerProgram = index }
        if words[index] == nil {
            refuse(index..<words.count, rule, advice ?? "write the name of the program")
        } else if let next = self.rule(at: index, of: parent) {
            read(next, at: index)
        }
    }

    /// Whether the code of perl opens the operands: a name with a `|` is a command (perlop, "I/O Operators").
    private func opensOperands(_ words: some Sequence<String?>) -> Bool {
        words.contains { word in
            guard let word else { return false }
            // The names of modules and folders have letters, too.
            let isOption = word.hasPrefix("-") && !["--", "-M", "-m", "-I"].contains { word.hasPrefix($0) }
            return isOption && word.contains { $0 == "n" || $0 == "p" }
                || ["<>", "<ARGV>", "readline"].contains { word.contains($0) }
        }
    }

    /// Refuses the first of some arguments that can be any text.
    private mutating func refuse(_ indices: some Sequence<Int>, _ rule: Rule, _ advice: String? = nil) {
        guard finding == nil, let index = indices.first(where: { arguments[$0].isFree }) else { return }
        finding = (index, rule, advice)
    }

    /// Whether a script is standard input.
    private func isInput(_ index: Int) -> Bool {
        ["-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"].contains(words[index])
    }
}
