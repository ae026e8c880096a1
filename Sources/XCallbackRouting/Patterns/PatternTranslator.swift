/// Puts a pattern of another router into the syntax of this one, as far as it can be told what is meant.
struct PatternTranslator {
    private(set) var pattern = ""
    private(set) var declarations: [(name: String, declaration: String)] = []
    private(set) var hasQuery = false
    private var rest: Substring.UnicodeScalarView

    init(_ text: String) {
        rest = text.unicodeScalars[...]
    }

    /// Translates the whole text; false if it cannot be told what is meant.
    mutating func translate() -> Bool {
        takeBeginning()
        return translateRest()
    }

    private mutating func translateRest() -> Bool {
        while let scalar = rest.popFirst() {
            switch scalar {
            case "\\":
                guard let next = rest.popFirst() else { return false }
                append("\\\(next)")
            case "^" where pattern.isEmpty, "$" where rest.isEmpty: break
            case ":": guard capture() else { return false }
            case "*": wildcard()
            case "(": guard parentheses() else { return false }
            case "[":
                guard let characters = take(upTo: "]") else { return false }
                let quantifier = take { "+*?{},0123456789".unicodeScalars.contains($0) }
                add(freeName("id"), RegularExpression("[\(characters)]\(quantifier)"))
            case "{", "<": brackets(scalar)
            case "?":
                guard query() else { return false }
            case "+", "!", ")", "]": return false
            default: append("\(scalar)")
            }
        }
        return true
    }

    /// Leaves a method out, and adds the first slash.
    private mutating func takeBeginning() {
        let method = rest.prefix { ("A"..."Z").contains($0) }
        if !method.isEmpty, rest.dropFirst(method.count).first == " " {
            rest = rest.dropFirst(method.count).drop { $0 == " " }
        }
        guard pattern.isEmpty, let first = rest.first, first.startsIdentifier || first == ":" || first == "*" else {
            return
        }
        append("/")
    }

    /// `:name`, with what other routers write behind it: a regular expression, and `?`, `*` or `+`.
    private mutating func capture() -> Bool {
        if rest.first == "\"" {
            rest.removeFirst()
            guard let name = take(upTo: "\"") else { return false }
            append(":\"\(name)\"")
            return true
        }
        let name = identifier()
        if name.isEmpty { return false }
        var expression = ""
        if rest.first == "(" {
            let start = rest
            rest.removeFirst()
            guard let text = parenthesized() else { return false }
            if isOptionalPart(text) { rest = start } else { expression = text }
        }
        add(name, RegularExpression(expression))
        return true
    }

    /// `*name` stays; a `*` without a name gets one.
    private mutating func wildcard() {
        let name = identifier()
        while rest.first == "*" { rest.removeFirst() }
        append("*" + (name.isEmpty ? freeName("path") : name))
    }

    /// A part that may be left out, as in Rails, or a regular expression.
    private mutating func parentheses() -> Bool {
        guard let text = parenthesized() else { return false }
        guard isOptionalPart(text) else {
            add(freeName("id"), RegularExpression(text))
            return true
        }
        var part = PatternTranslator(text)
        guard part.translateRest() else { return false }
        append("{\(part.pattern)}")
        declarations += part.declarations
        if rest.first == "?" { rest.removeFirst() }
        return true
    }

    private func isOptionalPart(_ text: String) -> Bool {
        text.hasPrefix("/") || text.contains(":") && !text.contains("(?") && !text.hasPrefix("?")
    }

    /// A segment that is a capture in brackets elsewhere: `{id}`, `${id}`, `{id:int}`, `{path...}`, `<int:id>`.
    private mutating func brackets(_ bracket: Unicode.Scalar) {
        let start = rest
        let isSegment = pattern.hasSuffix("/") || pattern.hasSuffix("/$")
        let text = take(upTo: bracket == "{" ? "}" : ">")
        guard isSegment, let text, (rest.first ?? "/") == "/",
            let capture = BracketedCapture(text, namesTypeFirst: bracket == "<")
        else {
            rest = start
            return append("\(bracket)")
        }
        if pattern.hasSuffix("$") { pattern.removeLast() }
        add(capture.name, capture.expression, modifier: capture.isOptional ? "?" : nil)
    }

    /// A query, which is dropped: its names are parameters.
    private mutating func query() -> Bool {
        guard !hasQuery, rest.contains("=") else { return false }
        hasQuery = true
        for item in rest.split(separator: "&") {
            let name = String(item.prefix { $0 != "=" })
            let isPlain = !name.isEmpty && name.unicodeScalars.allSatisfy { $0.continuesIdentifier || $0 == "-" }
            if isPlain { declarations.append((name, "string")) }
        }
        rest = rest.suffix(0)
        return true
    }

    /// Adds a capture, with what stands behind it.
    private mutating func add(_ name: String, _ expression: RegularExpression, modifier given: Unicode.Scalar? = nil) {
        var modifier = given
        let isQuery = rest.first == "?" && rest.contains("=")
        if modifier == nil, !isQuery, let next = rest.first, ["?", "*", "+"].contains(next) {
            modifier = rest.removeFirst()
        }
        let isWildcard = expression.isAnything || modifier == "*" || modifier == "+"
        let capture = (isWildcard ? "*" : ":") + name
        if let declaration = expression.declaration { declarations.append((name, declaration)) }
        guard modifier == "?" || modifier == "*" else { return append(capture) }
        let isSegment = pattern.hasSuffix("/") && (rest.first ?? "/") == "/"
        if isSegment { pattern.removeLast() }
        append("{\(isSegment ? "/" : "")\(capture)}")
    }

    /// A name that no capture has yet, as far as the pattern is read.
    private func freeName(_ name: String) -> String {
        var names = [name] + (2...9).map { "\(name)\($0)" }
        let words = (pattern.unicodeScalars + rest).split { !$0.continuesIdentifier }.map {
            String(String.UnicodeScalarView($0))
        }
        names.removeAll { words.contains($0) }
        return names.first ?? name
    }

    private mutating func append(_ text: String) { pattern += text }

    private mutating func identifier() -> String {
        guard rest.first?.startsIdentifier == true else { return "" }
        return take { $0.continuesIdentifier }
    }

    private mutating func take(while fits: (Unicode.Scalar) -> Bool) -> String {
        let text = String(rest.prefix(while: fits))
        rest = rest.dropFirst(text.unicodeScalars.count)
        return text
    }

    /// Takes the text before a scalar, and the scalar too; nil if there is none.
    private mutating func take(upTo end: Unicode.Scalar) -> String? {
        guard rest.contains(end) else { return nil }
        let text = take { $0 != end }
        rest.removeFirst()
        return text
    }

    /// Takes the text up to the parenthesis that closes one; nil if there is none.
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
