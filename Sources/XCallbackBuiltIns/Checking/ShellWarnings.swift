import XCallbackConfiguration
import XCallbackPrograms
import XCallbackRouter
import XCallbackURL
import XCallbackWire

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
            if source.route.isPublic, source.route.syntax == .callback, words.contains("XCALLBACK_URL") {
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
