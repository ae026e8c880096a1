import XCallbackBytes
import XCallbackConfiguration
import XCallbackPipeline
import XCallbackPrograms

/// Finds shell syntax in arguments that no shell reads.
struct ShellWords {
    /// The list that starts a shell.
    private static let example = "[sh, -c, 'CODE']"
    /// The advice about a command line in the place of a list.
    static let advice = "each word is an element; for a shell, write \(example)"
    /// Programs for which these are ordinary arguments.
    private static let users: Set = ["expr", "test", "[", "find", "envsubst", "jq", "yq"]
    /// Programs that take file name patterns.
    private static let patternUsers: Set = [
        "fd", "git", "gio", "grep", "journalctl", "locate", "pgrep", "pkill", "plocate", "rg", "rsync", "systemctl",
        "tar", "unzip", "zip", "7z",
    ]
    private static let operators = ["||", "|", "&&", "&>", "2>>", "2>", ">>", ">", "<", ";"]
    /// Words that follow an operator in a command line, but hardly ever in a text.
    private static let commands: Set = [
        "awk", "cat", "cd", "cp", "cut", "echo", "exit", "git", "grep", "head", "jq", "ls", "make", "mkdir", "mv",
        "notify-send", "rm", "sed", "sleep", "sort", "sudo", "tail", "tee", "touch", "tr", "uniq", "wc", "wl-copy",
        "xargs", "xclip", "xdg-open",
    ]
    private static let homeVariables = ["$HOME", "${HOME}", "$USER", "$PWD", "$XDG_RUNTIME_DIR", "$XDG_CONFIG_HOME"]

    private let arguments: [ArgumentTemplate]
    /// The arguments as written in the configuration.
    private let texts: [String]
    private let source: StageSource

    /// Creates a search.
    ///
    /// - Parameters:
    ///   - arguments: The program and its arguments.
    ///   - texts: The arguments as written in the configuration.
    ///   - source: The stage of the program.
    init(_ arguments: [ArgumentTemplate], _ texts: [String], _ source: StageSource) {
        self.arguments = arguments
        self.texts = texts
        self.source = source
    }

    /// Warns about the arguments that a shell would not pass on unchanged.
    func warn() {
        guard let program = arguments.first?.literal.map({ String(decoding: $0, as: UTF8.self) }),
            let name = program.split(separator: "/").last.map(String.init), !Self.users.contains(name)
        else { return }
        let mayRunCode = InterpreterRule(arguments).mayRunCode
        for (index, argument) in arguments.enumerated().dropFirst() {
            let word = argument.literalText
            // Hardly any word has one of these bytes.
            guard word.hasByte(where: "|&<>;$~*".utf8.contains) else { continue }
            if isOperator(word) || !mayRunCode && isCommand(word) {
                source.faults.warn(
                    "\(texts[index].quoted) is an argument because no shell reads it: for a shell, write \(Self.example)",
                    at: argument.place)
            } else if isExpanded(word) || !mayRunCode && !takesPatterns(name, index) && isPattern(word) {
                source.faults.warn(
                    "\(texts[index].quoted) is passed literally because no shell reads it: write the whole text, or "
                        + "\(Self.example) for a shell", at: argument.place)
            } else if !mayRunCode, let warning = variableWarning(word) {
                source.faults.warn(warning, at: argument.place)
            }
        }
    }

    private func isOperator(_ word: String) -> Bool {
        // Some programs have a `;` argument.
        word != ";" && Self.operators.contains(word) || word == "&" || word == "2>&1"
    }

    /// Whether a text continues like a command line: `| wc`, `>file`, `a; ls`, `a && ls`, `$(date)`.
    private func isCommand(_ text: String) -> Bool {
        if text.contains(text: "$(") { return true }
        if let sign = Self.operators.first(where: { text.hasPrefix($0) }) {
            let rest = text.dropFirst(sign.count)
            let next = rest.drop { $0 == " " }.first
            let isFile = sign.hasSuffix(">") && !rest.hasPrefix("=") || sign == "<" && rest.hasPrefix(" ")
            if isFile, next.map({ "/~.&\0".contains($0) || $0.isLetter }) == true { return true }
        }
        return Self.commandWords(in: text).contains { Self.commands.contains($0) }
    }

    /// Returns the words after `|`, `;`, `||`, or `&&`.
    private static func commandWords(in text: String) -> [String] {
        let parts = text.replacing(each: "&&", with: ";").split(omittingEmptySubsequences: false) { "|;".contains($0) }
        return parts.dropFirst().map { part in String(part.drop { $0 == " " }.prefix { $0 != " " }) }
    }

    /// Whether a shell would expand a word.
    private func isExpanded(_ word: String) -> Bool {
        guard !word.utf8.contains(UInt8(ascii: " ")) else { return false }
        if word == "~" || word.hasPrefix("~/") { return true }
        return Self.homeVariables.contains(String(word.split(separator: "/").first ?? ""))
    }

    /// Whether a word is a file name pattern: `*.txt`, `/tmp/*`.
    private func isPattern(_ word: String) -> Bool {
        guard word.contains("*"), !word.contains(" "), let name = word.split(separator: "/").last else { return false }
        let suffix = name.split(separator: "*").last ?? ""
        return suffix.first == "." && suffix.dropFirst().first?.isLetter == true || word.hasPrefix("/") && name == "*"
    }

    private func takesPatterns(_ program: String, _ index: Int) -> Bool {
        Self.patternUsers.contains(program) || index > 1 && texts[index - 1].hasPrefix("-") && texts[index - 1] != "--"
    }

    /// Returns the warning about a daemon variable that no shell expands.
    private func variableWarning(_ word: String) -> String? {
        let start = ProgramEnvironment.Parameter.variable(of: "")
        for part in word.split(separator: "$", omittingEmptySubsequences: false).dropFirst() {
            let name = String(
                part.drop { $0 == "{" }.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") })
            guard name.hasPrefix("XCALLBACK_") else { continue }
            let parameter = source.route.parameterNames.first {
                ProgramEnvironment.Parameter.variable(of: $0) == name
            }
            let fact = RequestFact.allCases.first { "XCALLBACK_\($0.rawValue.variableName)" == name }
            let placeholder = parameter ?? fact.map { "@\($0.rawValue)" } ?? name.dropFirst(start.count).lowercased()
            return "'$\(name)' is passed literally because no shell reads it: write '{\(placeholder)}'"
        }
        return nil
    }
}
