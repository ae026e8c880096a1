/// Translates a pattern of another router, as far as its meaning is clear.
struct PatternTranslator {
    private(set) var pattern = ""
    private(set) var declarations: [(name: String, declaration: String)] = []
    /// The captures whose regular expressions are lost, each with its expression.
    private(set) var losses: [(name: String, expression: String)] = []
    private(set) var hasQuery = false
    /// The pattern with an optional letter, if a query was removed.
    private(set) var letterPattern: String?
    private var rest: Substring.UnicodeScalarView
    /// The number of plain characters at the end of the pattern.
    private var textCount = 0
    /// Whether the whole text is a regular expression, in which `\\/` is a slash.
    private let isExpression: Bool

    private static let methods = ["get", "post", "put", "patch", "delete", "head", "options", "all", "any"]

    init(_ text: String) {
        rest = text.unicodeScalars[...]
        while rest.first == " " { rest.removeFirst() }
        while rest.last == " ", rest.dropLast().last != "\\" { rest.removeLast() }
        let isLiteral = rest.starts(with: "/^".unicodeScalars) && rest.dropFirst().contains("\\")
        isExpression = isLiteral || rest.first == "^"
        guard isLiteral else { return }
        rest.removeFirst()
        if rest.last == "/", rest.dropLast().last != "\\" { rest.removeLast() }
    }

    /// Translates the whole text; false if its meaning is unclear.
    mutating func translate() -> Bool {
        takeBeginning()
        return translateRest()
    }

    private mutating func translateRest() -> Bool {
        while let scalar = rest.popFirst() {
            switch scalar {
            case "\\": guard escape() else { return false }
            case "^" where pattern.isEmpty || pattern == "/", "$" where rest.isEmpty: break
            case ":": guard capture() else { return false }
            case "$" where pattern.hasSuffix("/") && isWholeName: add(identifier(), RegularExpression(""))
            case "*": wildcard()
            case "(": guard parentheses() else { return false }
            case "[": guard squareBrackets() else { return false }
            case "{", "<": brackets(scalar)
            case "?": guard questionMark() else { return false }
            case "|" where choices(): break
            case "#" where rest.first?.continuesIdentifier == true && !pattern.hasSuffix("/"): rest = rest.suffix(0)
            case "+", "!", ")", "]": return false
            case "/": append("/")
            default:
                append("\(scalar)")
                textCount += 1
            }
        }
        return true
    }

    /// Skips an HTTP method, and adds the first slash.
    private mutating func takeBeginning() {
        let method = rest.prefix { ("A"..."Z").contains($0) || ("a"..."z").contains($0) }
        let isMethod = Self.methods.contains(String(method).lowercased()) || method.allSatisfy { $0 < "a" }
        if !method.isEmpty, isMethod, rest.dropFirst(method.count).first == " " {
            rest = rest.dropFirst(method.count).drop { $0 == " " }
        }
        guard pattern.isEmpty, let first = rest.first, first.startsIdentifier || first == ":" || first == "*" else {
            return
        }
        append("/")
    }

    /// Reads a literal character, or a character set of a regular expression.
    private mutating func escape() -> Bool {
        guard let next = rest.popFirst() else { return false }
        if isExpression, next == "/" {
            append("/")
        } else if isExpression, next == "d" || next == "w" {
            add(freeName("id"), RegularExpression("\\\(next)\(takeQuantifier())"))
        } else {
            append("\\\(next)")
        }
        return true
    }

    /// Reads `:name` and the syntax that other routers add: a regular expression, a type, and `?`, `*`, or `+`.
    private mutating func capture() -> Bool {
        if rest.first == "\"" {
            rest.removeFirst()
            guard let name = take(upTo: "\"") else { return false }
            append(":\"\(name)\"")
            return true
        }
        let name = identifier()
        if name.isEmpty { return false }
        let start = rest
        var expression = RegularExpression("")
        switch rest.popFirst() {
        case "(":
            guard let text = parenthesized() else { return false }
            if isOptionalPart(text) { rest = start } else { expression = RegularExpression(behindName: text) }
        case "|", "<":
            let isBracket = start.first == "<"
            let word = isBracket ? take(upTo: ">") : identifier()
            let type = word.flatMap { RegularExpression(type: $0) ?? (isBracket ? RegularExpression($0) : nil) }
            if let type, isAtEnd { expression = type } else { rest = start }
        default: rest = start
        }
        add(name, expression)
        return true
    }

    /// Reads a wildcard: `*name` stays, and a `*` without a name gets one.
    private mutating func wildcard() {
        let name = identifier()
        while rest.first == "*" { rest.removeFirst() }
        let isOptional = rest.first == "?" && !isQueryAhead
        if isOptional { rest.removeFirst() }
        let free = name.isEmpty ? freeName("path") : name
        if isOptional { add(free, RegularExpression(".*"), modifier: "?") } else { append("*" + free) }
    }

    /// Reads an optional part, a text, or a regular expression.
    private mutating func parentheses() -> Bool {
        guard var text = parenthesized() else { return false }
        if text.hasPrefix("?:") { text.removeFirst(2) }
        if isOptionalPart(text) {
            var part = PatternTranslator(text)
            guard part.translateRest() else { return false }
            append("{\(part.pattern)}")
            declarations += part.declarations
            losses += part.losses
            if rest.first == "?" { rest.removeFirst() }
        } else if isLiteral(text) {
            literal(text)
        } else {
            var name = freeName("id")
            for mark in ["?<", "?P<"] where text.hasPrefix(mark) {
                let parts = text.dropFirst(mark.count).split(separator: ">", maxSplits: 1)
                guard parts.count == 2 else { return false }
                (name, text) = (String(parts[0]), String(parts[1]))
            }
            add(name, RegularExpression(text))
        }
        return true
    }

    private func isOptionalPart(_ text: String) -> Bool {
        text.hasPrefix("/") || text.contains(":") && !has(text, "(", before: "?") && !text.hasPrefix("?")
    }

    /// Whether parentheses contain literal text; a dot is also literal, because it hardly ever means any character.
    private func isLiteral(_ text: String) -> Bool {
        text.unicodeScalars.contains(where: \.continuesIdentifier)
            && text.unicodeScalars.allSatisfy {
                $0.continuesIdentifier && $0 != "$" || "-._~/\\".unicodeScalars.contains($0)
            }
            && !has(text, "\\", before: "dwsDWS")
    }

    /// Whether a text has a character followed by one of others.
    private func has(_ text: String, _ character: Character, before others: String) -> Bool {
        zip(text, text.dropFirst()).contains { $0 == character && others.contains($1) }
    }

    /// Adds a text in parentheses, which is optional if a `?` follows; a whole segment includes its slash.
    private mutating func literal(_ text: String) {
        let text = String(text.filter { $0 != "\\" })
        guard rest.first == "?" else { return append(text) }
        rest.removeFirst()
        appendGroup(text)
    }

    /// Reads a segment of Next.js, or a character set.
    private mutating func squareBrackets() -> Bool {
        let start = rest
        let isDouble = rest.first == "["
        if isDouble { rest.removeFirst() }
        let isSegment = pattern.hasSuffix("/")
        if isSegment, let text = take(upTo: "]"), !isDouble || rest.popFirst() == "]", isAtEnd,
            let capture = BracketedCapture(text, in: "[")
        {
            add(capture.name, capture.expression, modifier: isDouble ? "?" : nil)
            return true
        }
        rest = start
        guard let characters = take(upTo: "]") else { return false }
        add(freeName("id"), RegularExpression("[\(characters)]\(takeQuantifier())"))
        return true
    }

    /// Reads a segment that is a bracketed capture in other syntaxes: `{id}`, `${id}`, `{id:int}`, `{path...}`,
    /// `<int:id>`.
    private mutating func brackets(_ bracket: Unicode.Scalar) {
        let start = rest
        let mark = ["$", "#", "%"].first { pattern.hasSuffix("/\($0)") } ?? ""
        let isSegment = pattern.hasSuffix("/\(mark)")
        let isDouble = bracket == "{" && rest.first == "{"
        if isDouble { rest.removeFirst() }
        var text = bracket == "{" ? braced() : take(upTo: ">")
        if isDouble {
            text = rest.popFirst() == "}" ? text.map { $0.trimmed } : nil
        }
        let isFollowed = isAtEnd || rest.first == "?" && !isQueryAhead
        guard isSegment, let text, isFollowed else {
            rest = start
            return append("\(bracket)")
        }
        if let capture = BracketedCapture(text, in: bracket) {
            pattern.removeLast(mark.count)
            add(capture.name, capture.expression, modifier: capture.isOptional ? "?" : nil)
        } else if bracket == "{", let choice = RegularExpression(choices: text.split(separator: ",")) {
            add(freeName("id"), choice)
        } else {
            rest = start
            append("\(bracket)")
        }
    }

    /// Reads a segment with alternative texts, `a|b`, after the first text; false if it is none.
    private mutating func choices() -> Bool {
        let others = rest.prefix { $0 != "/" }
        let first = String(pattern.unicodeScalars.suffix(textCount))
        guard pattern.unicodeScalars.dropLast(textCount).last == "/",
            let choice = RegularExpression(choices: "\(first)|\(String(others))".split(separator: "|"))
        else { return false }
        pattern.unicodeScalars.removeLast(textCount)
        rest = rest.dropFirst(others.count)
        add(freeName("id"), choice)
        return true
    }

    /// Reads the mark of an optional part, or a query.
    private mutating func questionMark() -> Bool {
        if pattern.hasSuffix("/"), pattern != "/", rest.isEmpty || rest.elementsEqual("$".unicodeScalars) {
            // A trailing slash is insignificant.
            pattern.removeLast()
            rest = rest.suffix(0)
            return true
        }
        if pattern.hasSuffix("}") { return isAtEnd }
        let withoutLetter = patternWithoutLetter()
        if isQueryAhead || rest.isEmpty && withoutLetter != nil {
            let isName = !rest.contains { $0 == "=" || $0 == "&" }
            letterPattern = isName ? withoutLetter.map { $0 + String(rest) } : nil
            query()
            return true
        }
        guard let withoutLetter else { return false }
        pattern = withoutLetter
        textCount = 0
        return true
    }

    /// Returns the pattern with its last letter optional; nil if it does not end in a letter, or ends in a one-letter
    /// segment.
    private func patternWithoutLetter() -> String? {
        guard textCount > 1, let letter = pattern.unicodeScalars.last, letter.startsIdentifier else { return nil }
        return "\(pattern.dropLast()){\(letter)}"
    }

    /// Whether a query follows a `?`: names, with or without values.
    private var isQueryAhead: Bool {
        let text = rest.first == "?" ? rest.dropFirst() : rest
        if text.contains("=") || text.contains("&") { return true }
        return text.first?.startsIdentifier == true && text.allSatisfy { $0.continuesIdentifier || $0 == "-" }
    }

    /// Removes a query: its names become parameters.
    private mutating func query() {
        hasQuery = true
        for item in rest.split(separator: "&") {
            let name = String(item.prefix { $0 != "=" })
            let isPlain = !name.isEmpty && name.unicodeScalars.allSatisfy { $0.continuesIdentifier || $0 == "-" }
            if isPlain { declarations.append((name, "string")) }
        }
        rest = rest.suffix(0)
    }

    /// Adds a capture and its modifier.
    private mutating func add(_ name: String, _ expression: RegularExpression, modifier given: Unicode.Scalar? = nil) {
        var modifier = given
        let isQuery = rest.first == "?" && isQueryAhead
        if modifier == nil, !isQuery, let next = rest.first, ["?", "*", "+"].contains(next) {
            modifier = rest.removeFirst()
        }
        let isWildcard = expression.isAnything || modifier == "*" || modifier == "+"
        let capture = (isWildcard ? "*" : ":") + name
        if let declaration = expression.declaration { declarations.append((name, declaration)) }
        if let lost = expression.lost { losses.append((name, lost)) }
        if modifier == "?" || modifier == "*" { appendGroup(capture) } else { append(capture) }
    }

    /// Adds an optional group; a whole segment includes its slash.
    private mutating func appendGroup(_ text: String) {
        let isSegment = pattern.hasSuffix("/") && isAtEnd
        if isSegment { pattern.removeLast() }
        append("{\(isSegment ? "/" : "")\(text)}")
    }

    /// Whether a segment ends here.
    private var isAtEnd: Bool { (rest.first ?? "/") == "/" }

    /// Whether a name follows and the segment ends after it.
    private var isWholeName: Bool {
        rest.first?.startsIdentifier == true && (rest.first { !$0.continuesIdentifier } ?? "/") == "/"
    }

    /// Returns a capture name that is not in use in the pattern read so far.
    private func freeName(_ name: String) -> String {
        var names = [name] + (2...9).map { "\(name)\($0)" }
        let words = (pattern.unicodeScalars + rest).split { !$0.continuesIdentifier }.map {
            String(String.UnicodeScalarView($0))
        }
        names.removeAll { words.contains($0) }
        return names.first ?? name
    }

    private mutating func append(_ text: String) {
        pattern += text
        if text.utf8.count > 1 || text == "/" { textCount = 0 }
    }

    private mutating func identifier() -> String {
        guard rest.first?.startsIdentifier == true else { return "" }
        return take { $0.continuesIdentifier }
    }

    private mutating func take(while fits: (Unicode.Scalar) -> Bool) -> String {
        let text = String(rest.prefix(while: fits))
        rest = rest.dropFirst(text.unicodeScalars.count)
        return text
    }

    /// Takes the text before a scalar, and the scalar too; nil if the scalar does not occur.
    private mutating func take(upTo end: Unicode.Scalar) -> String? {
        guard rest.contains(end) else { return nil }
        let text = take { $0 != end }
        rest.removeFirst()
        return text
    }

    /// Takes the quantifier of a set.
    private mutating func takeQuantifier() -> String {
        if rest.first == "{" { return take { $0 != "}" } + (rest.popFirst() == nil ? "" : "}") }
        return take { "+*?".unicodeScalars.contains($0) }
    }

    /// Takes the text up to the matching closing brace, and the brace too; nil if there is none.
    private mutating func braced() -> String? {
        var depth = 1
        var text = ""
        while let scalar = rest.popFirst() {
            if scalar == "{" { depth += 1 } else if scalar == "}" { depth -= 1 }
            if depth == 0 { return text }
            text.unicodeScalars.append(scalar)
        }
        return nil
    }

    /// Takes the text up to the matching closing parenthesis; nil if there is none.
    private mutating func parenthesized() -> String? {
        var text = ""
        var depth = 1
        while let scalar = rest.popFirst() {
            if scalar == "(" { depth += 1 } else if scalar == ")" { depth -= 1 }
            if depth == 0 { return text }
            text.unicodeScalars.append(scalar)
            if scalar == "\\", let next = rest.popFirst() { text.unicodeScalars.append(next) }
        }
        return nil
    }
}

extension String {
    /// The text without surrounding blanks.
    fileprivate var trimmed: String {
        String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
}
