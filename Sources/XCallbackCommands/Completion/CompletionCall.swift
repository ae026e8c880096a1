import ArgumentParser
import XCallbackLinux

/// How the completion script of a shell asks for candidates: `---completion COMMAND -- ARGUMENT INDEX CURSOR WORD…`.
///
/// It is the form of ArgumentParser, which would answer in the same way; but it first finds out what commands there are and
/// which options each has, and the user waits.
struct CompletionCall {
    /// What the script wants to know.
    let kind: CompletionRequest.Kind
    private let words: [String]
    private let index: Int
    private let cursor: Int
    private let shell: CompletionShell?

    /// Reads a call; nil if it is none, or is one for ArgumentParser.
    ///
    /// - Parameters:
    ///   - arguments: The command line, without the name of the program.
    ///   - shell: The name of the shell, as its script says it.
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

    /// What the script is told, a line each.
    var answer: String {
        let prefix = String((words.last ?? "").prefix(max(cursor, 0)))
        var lines = CompletionRequest.answer(kind, words, index, prefix, for: shell)
        // The script takes the last line away, so that an empty one before it is not lost.
        if shell == .zsh { lines.append(" ") }
        return lines.joined(separator: "\n")
    }

    /// What can stand for an argument of a command; each property of a command says so too (`.live`).
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
