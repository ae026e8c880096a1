import XCallbackConfiguration
import XCallbackPipeline
import XCallbackPrograms

/// Finds variables in code that the program of a route does not have.
struct ShellCode {
    /// Shells that set variables with `name=`; others have lowercase variables of their own.
    private static let plainShells: Set = ["sh", "bash", "dash", "ash", "ksh", "mksh"]
    private static let prefix = "XCALLBACK_"

    private let arguments: ArraySlice<ArgumentTemplate>
    private let program: String
    private let source: StageSource

    /// Creates a search.
    ///
    /// - Parameters:
    ///   - arguments: The arguments that are run as code.
    ///   - program: The program that runs them.
    ///   - source: The stage of the program.
    init(_ arguments: ArraySlice<ArgumentTemplate>, in program: String, _ source: StageSource) {
        self.arguments = arguments
        self.program = program
        self.source = source
    }

    /// Warns about every such variable.
    func warn() {
        guard !source.route.isOpen else { return }
        for argument in arguments {
            let code = argument.literalText
            for name in Set(Self.words(of: code)).sorted() where name.hasPrefix(Self.prefix) {
                guard let warning = warning(ofVariable: name) else { continue }
                source.faults.warn(warning, at: argument.place)
            }
            if Self.plainShells.contains(program) { warnOfParameters(in: code, at: argument.place) }
        }
    }

    /// The variables of the program's parameters, with the parameters' names.
    private var variables: [String: String] {
        let names = source.route.parameterNames
        return Dictionary(names.map { (ProgramEnvironment.Parameter.variable(of: $0), $0) }) { first, _ in first }
    }

    private func warning(ofVariable name: String) -> String? {
        let start = ProgramEnvironment.Parameter.variable(of: "")
        if variables[name] != nil || name == start { return nil }
        guard name.hasPrefix(start) else {
            // The variable of a fact, or that of a parameter without the common prefix.
            let meant = ProgramEnvironment.Parameter.variable(of: String(name.dropFirst(Self.prefix.count)))
            let isFact = RequestFact.allCases.contains { name == Self.prefix + $0.rawValue.variableName }
            return variables[meant] == nil || isFact ? nil : "unknown variable \(name); did you mean \(meant)?"
        }
        if let meant = name.nearest(among: variables.keys.sorted()) {
            return "this route has no parameter in \(name); did you mean \(meant)?"
        }
        let parameter = name.dropFirst(start.count).lowercased()
        return "this route has no parameter in \(name): declare it with 'input: { \(parameter): string }'"
    }

    /// Warns about a parameter used as a variable, `$id`, unless the code sets that variable.
    private func warnOfParameters(in code: String, at place: Place) {
        let (words, names) = (Self.words(of: code), Set(Self.expansions(of: code)))
        for (variable, name) in variables.sorted(by: { $0.key < $1.key }) where names.contains(name) {
            // After `read`, `for`, and similar words, the name is a separate word; in an assignment, it precedes a `=`.
            guard words.count(where: { $0 == name }) == Self.expansions(of: code).count(where: { $0 == name }) else {
                continue
            }
            source.faults.warn(
                "'$\(name)' is not a variable of this code: the parameter is in \"$\(variable)\"", at: place)
        }
    }

    /// Returns the names in code, regardless of their meaning.
    private static func words(of code: String) -> [String] {
        code.utf8.split { !isNameByte($0) }.map { String(Substring($0)) }
    }

    /// Returns the variables that a shell expands, `$name` and `${name}`, except within single quotes.
    private static func expansions(of code: String) -> [String] {
        var names: [String] = []
        var (isQuoted, isDoubleQuoted) = (false, false)
        var rest = code.utf8[...]
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "'") where !isDoubleQuoted: isQuoted.toggle()
            case UInt8(ascii: "\"") where !isQuoted: isDoubleQuoted.toggle()
            case UInt8(ascii: "\\") where !isQuoted: _ = rest.popFirst()
            case UInt8(ascii: "$") where !isQuoted:
                if rest.first == UInt8(ascii: "{") { rest.removeFirst() }
                names.append(String(Substring(rest.prefix(while: isNameByte))))
            default: break
            }
        }
        return names
    }
}
