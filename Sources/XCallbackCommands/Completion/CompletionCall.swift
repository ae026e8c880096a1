import ArgumentParser
import XCallbackLinux

/// The call of a shell's completion script for candidates: `---completion COMMAND -- ARGUMENT INDEX CURSOR WORD…`.
///
/// The form is that of ArgumentParser, which would return the same answer, but first collects all commands and their options
/// while the user waits.
struct CompletionCall {
    /// The kind of candidates.
    let kind: CompletionRequest.Kind
    private let words: [String]
    private let index: Int
    private let cursor: Int
    private let shell: CompletionShell?

    /// Parses a call; nil if the arguments are not one, or are one for ArgumentParser.
    ///
    /// - Parameters:
    ///   - arguments: The command line, without the name of the program.
    ///   - shell: The name of the shell, as its script sets it.
    init?(_ arguments: [String], shell: String? = variable("SAP_SHELL")) {
        guard arguments.count > 5, arguments[0] == "---completion", arguments[2] == "--",
            let kind = Self.kind(of: arguments[3], command: arguments[1]), let index = Int(arguments[4]),
            let cursor = Int(arguments[5]), arguments.count > 6 || cursor == 0
        else { return nil }
        self.kind = kind
        words = Array(arguments.dropFirst(6))
        (self.index, self.cursor) = (index, cursor)
        self.shell = shell.flatMap { CompletionShell(rawValue: $0) }
    }

    /// The reply to the script, one candidate per line.
    var answer: String {
        let prefix = String((words.last ?? "").prefix(max(cursor, 0)))
        var lines = CompletionRequest.answer(kind, words, index, prefix, for: shell)
        // The script removes the last line; with this one, an empty line before it is kept.
        if shell == .zsh { lines.append(" ") }
        return lines.joined(separator: "\n")
    }

    /// The kind of an argument of a command; the properties of the commands name the same kinds (`.live`).
    private static func kind(of argument: String, command: String) -> CompletionRequest.Kind? {
        switch (argument, command) {
        case ("positional@0", "open"), ("positional@0", "call"), ("positional@0", "explain"): .action
        case ("positional@0", "routes"), ("--route", "monitor"): .route
        case ("--param", "open"), ("--param", "call"), ("--param", "explain"): .parameter
        case ("--stdin", "open"), ("--stdin", "call"), ("--stdin", "explain"): .parameterName
        case ("--value", "open"), ("--value", "call"): .item
        case ("positional@0", "listen"): .receiver
        case ("positional@0", "publish"), ("positional@0", "subscribe"): .topic
        case ("positional@0", "register"), ("--scheme", "mcp"): .scheme
        case ("positional@0", "unregister"): .registeredScheme
        case ("positional@0", "setup"): .example
        default: nil
        }
    }
}
