import XCallbackConfiguration
import XCallbackPipeline
import XCallbackRouting
import XCallbackURL
import XCallbackWire

extension Template {
    /// Parses the text of a node; reports faults.
    ///
    /// - Parameters:
    ///   - node: A scalar.
    ///   - isCode: Whether a shell or an interpreter runs the text, so that it is in another language.
    ///   - source: The stage of the template.
    init?(_ node: Node, isCode: Bool = false, _ source: StageSource) {
        guard let text = node.string(source.faults) else { return nil }
        var parser = TemplateParser(text: text, node: node, isCode: isCode, source: source)
        guard let parts = parser.parse() else { return nil }
        self.init(parts: parts)
    }
}

private struct TemplateParser {
    let text: String
    let node: Node
    let isCode: Bool
    let source: StageSource
    var parts: [Template.Part] = []
    var literal: [UInt8] = []

    mutating func parse() -> [Template.Part]? {
        if !isCode { warnOfForeignPlaceholder() }
        var rest = text.unicodeScalars[...]
        while let scalar = rest.popFirst() {
            switch scalar {
            case "{" where rest.first == "{", "}" where rest.first == "}":
                rest.removeFirst()
                append(scalar)
            case "{":
                guard let end = rest.firstIndex(of: "}") else {
                    return fault("a '{' without its '}' in a template: write '{{' for a brace")
                }
                let name = String(rest[..<end])
                if isCode, literal.last == UInt8(ascii: "$"), !source.route.declares(name) {
                    return expansion(name)
                }
                guard let part = placeholder(name) else { return nil }
                endLiteral()
                parts.append(part)
                rest = rest[rest.index(after: end)...]
            case "}": return fault("a '}' without its '{' in a template: write '}}' for a brace")
            default: append(scalar)
            }
        }
        endLiteral()
        return parts
    }

    private mutating func append(_ scalar: Unicode.Scalar) {
        if scalar.isASCII { return literal.append(UInt8(scalar.value)) }
        literal.append(contentsOf: UTF8.encode(scalar) ?? .encodedReplacementCharacter)
    }

    private mutating func endLiteral() {
        if literal.isEmpty { return }
        parts.append(.literal(literal))
        literal = []
    }

    private func placeholder(_ name: String) -> Template.Part? {
        if name.hasPrefix("@data.") { return .data(String(name.dropFirst("@data.".count))) }
        if name.hasPrefix("@"), !source.route.declares(name) {
            let facts = RequestFact.allCases.map { "@\($0.rawValue)" }
            guard let fact = RequestFact(rawValue: String(name.dropFirst())) else {
                let own = String(name.dropFirst())
                let suggestion =
                    source.route.declares(own)
                    ? "; did you mean '{\(own)}'?" : name.suggestion(among: facts + ["@data."])
                return fault("unknown fact '{\(name)}'\(suggestion)")
            }
            return .fact(fact)
        }
        if name.isEmpty { return fault("a placeholder without a name in a template: write '{{}}' for braces") }
        if source.route.pattern.syntax == .callback, name.lowercased().hasPrefix("x-") {
            return fault("'{\(name)}' belongs to the protocol and never reaches a handler")
        }
        if !source.route.declares(name), name.looksLikeCode {
            return fault(
                "\("{\(name)}".quoted) is not a placeholder: write '{{' and '}}' for braces of the text itself")
        }
        guard source.route.canHave(name) else {
            let suggestion = name.suggestion(among: source.route.parameterNames)
            return fault("this route has no parameter '{\(name)}'\(suggestion)")
        }
        let hint = source.route.nearMissHint(name)
        if !hint.isEmpty {
            source.faults.warn("'{\(name)}' is a parameter that the route does not declare\(hint)", at: node.place)
        }
        source.surroundings.placeholders.append((name, node.place))
        let isOptional = source.route.pattern.captures.first(named: name)?.isOptional == true
        return .parameter(name: Array(name.utf8), isList: source.route.isList(name), isOptional: isOptional)
    }

    /// Reports a variable that a shell expands, which needs doubled braces: `${name}`.
    private func expansion(_ name: String) -> [Template.Part]? {
        let isName = name.utf8.allSatisfy(isNameByte)
        let isWhole = !name.contains("{")
        let plain = isName && !name.isEmpty ? "'$\(name)' or " : ""
        return isWhole
            ? fault("in shell code \("${\(name)}".quoted) is written \(plain)\("${{\(name)}}".quoted)")
            : fault("in shell code '${' is written '${{', and its '}' is written '}}'")
    }

    /// Warns about a placeholder of a shell, a pattern or another template language that is text here: `:id`, `$id`,
    /// `${id}`, `%{id}`, `<id>`, `{{id}}`.
    private func warnOfForeignPlaceholder() {
        // Most texts have none of these bytes.
        guard text.hasByte(where: { ":$%<".utf8.contains($0) }) || text.hasPrefix("{{") else { return }
        let words = text.split { "/?&= \t\n\"'(),;".contains($0) }
        let foreign = words.first { word in
            guard [":", "$", "%", "{{"].contains(where: word.hasPrefix) || word.hasPrefix("<") && word.contains(">")
            else {
                return false
            }
            let name = word.drop { ":$%<{".contains($0) }.prefix { !"}>!.".contains($0) }
            let isWhole = word[name.endIndex...].allSatisfy { "}>!.".contains($0) }
            let isBalanced = word.count { $0 == "{" } == word.count { $0 == "}" }
            return isWhole && isBalanced && source.route.declares(String(name))
        }
        guard let foreign else { return }
        source.faults.warn("'\(foreign)' is text; \(RoutePatternError.syntaxHint)", at: node.place)
    }

    private func fault<Result>(_ message: String) -> Result? {
        source.faults.report(message, at: node.place)
        return nil
    }
}

extension String {
    /// Whether the text resembles code in braces, rather than the name of an undeclared parameter.
    fileprivate var looksLikeCode: Bool {
        hasPrefix(" ") || unicodeScalars.contains { $0.value < 0x20 || "\"'`$()<>|&;#=\\".unicodeScalars.contains($0) }
    }
}
