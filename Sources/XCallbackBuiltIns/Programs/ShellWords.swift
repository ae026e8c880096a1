import XCallbackConfiguration

/// What only a shell would understand, where no shell reads it.
enum ShellWords {
    /// Programs of which these are arguments.
    private static let users: Set = ["expr", "test", "[", "find"]
    private static let operators: Set = ["|", "||", "&&", "&", ">", ">>", "<", "2>", "2>&1", "&>"]

    /// Warns of the arguments of a program that a shell would not hand over as they are.
    static func warn(of arguments: [ArgumentTemplate], _ faults: FaultList) {
        let words = arguments.map { $0.literal.map { String(decoding: $0, as: UTF8.self) } }
        guard let program = words.first ?? nil, let name = program.split(separator: "/").last,
            !users.contains(String(name))
        else { return }
        for (argument, word) in zip(arguments, words).dropFirst() {
            guard let word, !word.utf8.contains(UInt8(ascii: " ")) else { continue }
            if operators.contains(word) {
                faults.warn(
                    "\(word.quoted) is an argument, as no shell reads it: a command line is written [sh, -c, \"…\"]",
                    at: argument.place)
            } else if isExpanded(word) {
                faults.warn(
                    "\(word.quoted) is handed over as it stands, as no shell reads it: write the whole text, or "
                        + "[sh, -c, \"…\"]", at: argument.place)
            }
        }
    }

    /// Whether a shell would put something else in the place of a word.
    private static func isExpanded(_ word: String) -> Bool {
        if word == "~" || word.hasPrefix("~/") || word.hasPrefix("$(") { return true }
        let name = word.split(separator: "/").first ?? ""
        return ["$HOME", "${HOME}", "$USER", "$PWD", "$XDG_RUNTIME_DIR", "$XDG_CONFIG_HOME"].contains(name)
    }
}
