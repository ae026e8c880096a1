import XCallbackPrograms

/// A shell command line, and the equivalent list for a configuration.
struct ShellLine {
    /// The kinds of quotes.
    private enum Quotes {
        case none, single, double
    }

    /// The words, as elements of the list.
    private(set) var words: [String] = []
    /// Whether the line requires a shell.
    private(set) var needsShell = false
    /// The line as code that reads values from the environment.
    private var code = ""

    private var word: String?
    private var quotes = Quotes.none
    private var rest: Substring
    /// Whether a name in braces is a parameter; nil if braces are never placeholders.
    private let isParameter: ((String) -> Bool)?

    /// Reads a line.
    ///
    /// - Parameters:
    ///   - line: The line.
    ///   - isParameter: Whether a name in braces is a parameter; nil if all braces are literal.
    init(_ line: String, isParameter: ((String) -> Bool)? = nil) {
        rest = line[...]
        self.isParameter = isParameter
        read()
        if quotes != .none, !needsShell {
            // An apostrophe instead of a quote: `it's`.
            words = line.split(separator: " ").map(String.init)
        }
        if words.first?.contains("=") == true { needsShell = true }
    }

    /// The list in YAML; nil for blanks.
    var list: String? {
        if words.isEmpty { return nil }
        if needsShell { return "[sh, -c, \(Self.quoted(code))]" }
        return "[\(words.map(Self.element).joined(separator: ", "))]"
    }

    /// The end of a message with the list to write; empty for blanks.
    var advice: String { list.map { ": write \($0)" } ?? "" }

    private mutating func read() {
        while let character = rest.popFirst() {
            switch (quotes, character) {
            case (.none, " "), (.none, "\n"), (.none, "\t"):
                endWord()
                code.append(character)
            case (.none, "'"), (.none, "\""): enter(character == "'" ? .single : .double, character)
            case (.single, "'"), (.double, "\""):
                quotes = .none
                code.append(character)
            case (_, "{"): brace()
            case (_, "}"): append("}}")
            default:
                if isOfShell(character) { needsShell = true }
                append(String(character))
            }
        }
        endWord()
    }

    private mutating func enter(_ quotes: Quotes, _ mark: Character) {
        self.quotes = quotes
        word = word ?? ""
        code.append(mark)
    }

    private mutating func append(_ text: String) {
        word = (word ?? "") + text
        code += text
    }

    private mutating func endWord() {
        if let word { words.append(word) }
        word = nil
    }

    private func isOfShell(_ character: Character) -> Bool {
        switch quotes {
        case .single: false
        case .double: "$`\\".contains(character)
        case .none: "|&;<>$`\\*?".contains(character) || word == nil && "~#".contains(character)
        }
    }

    /// Reads a placeholder, or a literal brace.
    private mutating func brace() {
        let name = String(rest.prefix { $0 != "}" })
        guard name.count < rest.count, isPlaceholder(name) else { return append("{{") }
        rest = rest.dropFirst(name.count + 1)
        word = (word ?? "") + "{\(name)}"
        let variable =
            name.hasPrefix("@")
            ? "XCALLBACK_\(String(name.dropFirst()).variableName)" : ProgramEnvironment.Parameter.variable(of: name)
        let isContinued = rest.first.map { $0.isLetter || $0.isNumber || $0 == "_" } == true
        let value = isContinued ? "${{\(variable)}}" : "$\(variable)"
        switch quotes {
        case .double: code += value
        case .none: code += "\"\(value)\""
        case .single: takeOutOfQuotes(value)
        }
    }

    /// Moves a value out of single quotes, in which a shell expands no variables.
    private mutating func takeOutOfQuotes(_ value: String) {
        if code.hasSuffix("'") { code.removeLast() } else { code += "'" }
        code += "\"\(value)\""
        if rest.first == "'" {
            rest.removeFirst()
            quotes = .none
        } else {
            code += "'"
        }
    }

    private func isPlaceholder(_ name: String) -> Bool {
        guard let isParameter, !code.hasSuffix("$") else { return false }
        if isParameter(name) { return true }
        // Code in single quotes has its own braces: `awk '{print}'`.
        guard quotes != .single, let first = name.first, first.isLetter || first == "_" || first == "@" else {
            return false
        }
        return name.dropFirst().allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "-" }
    }
}

extension ShellLine {
    /// Returns a word as a list element.
    private static func element(_ word: String) -> String {
        let isPlain = word.unicodeScalars.allSatisfy { scalar in
            scalar.properties.isAlphabetic || ("0"..."9").contains(scalar) || "-_./=".unicodeScalars.contains(scalar)
        }
        if isPlain, !["", "-", "null", "Null", "NULL"].contains(word) { return word }
        let isSimple = word.hasPrefix("{") && word.hasSuffix("}") && !word.contains { "\"\\ ".contains($0) }
        return isSimple ? "\"\(word)\"" : quoted(word)
    }

    /// Returns a text in single quotes.
    private static func quoted(_ text: String) -> String {
        "'" + text.map { $0 == "'" ? "''" : "\($0)" }.joined() + "'"
    }
}
