import XCallbackConfiguration
import XCallbackPipeline
import XCallbackRouting

extension Template {
    /// Parses the text of a node; reports what is wrong with it.
    ///
    /// - Parameters:
    ///   - node: A scalar.
    ///   - source: The stage that it belongs to.
    init?(_ node: Node, _ source: StageSource) {
        guard let text = node.string(source.faults) else { return nil }
        var parser = TemplateParser(text: text, node: node, source: source)
        guard let parts = parser.parse() else { return nil }
        self.init(parts: parts)
    }
}

private struct TemplateParser {
    let text: String
    let node: Node
    let source: StageSource
    var parts: [Template.Part] = []
    var literal: [UInt8] = []

    mutating func parse() -> [Template.Part]? {
        warnOfForeignPlaceholders()
        var rest = text.unicodeScalars[...]
        while let scalar = rest.popFirst() {
            switch scalar {
            case "{" where rest.first == "{", "}" where rest.first == "}":
                rest.removeFirst()
                if scalar == "{" { warnOfDoubleBraces(rest) }
                append(scalar)
            case "{":
                guard let end = rest.firstIndex(of: "}") else {
                    return fault("a '{' without its '}' in a template: write '{{' for a brace")
                }
                guard let part = placeholder(String(rest[..<end])) else { return nil }
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
        if name.hasPrefix("@") {
            let facts = RequestFact.allCases.map { "@\($0.rawValue)" }
            guard let fact = RequestFact(rawValue: String(name.dropFirst())) else {
                return fault("no fact is called '{\(name)}'\(name.suggestion(among: facts + ["@data."]))")
            }
            return .fact(fact)
        }
        if name.isEmpty { return fault("a placeholder without a name in a template: write '{{}}' for braces") }
        if name.lowercased().hasPrefix("x-") {
            return fault("'{\(name)}' belongs to the protocol and never reaches a handler")
        }
        if !source.route.declares(name), name.looksLikeCode {
            return fault("\("{\(name)}".quoted) is no placeholder: write '{{' and '}}' for braces of the text itself")
        }
        guard source.route.canHave(name) else {
            let suggestion = name.suggestion(among: source.route.parameterNames)
            return fault("no parameter of this route is called '{\(name)}'\(suggestion)")
        }
        let hint = source.route.nearMissHint(name)
        if !hint.isEmpty {
            source.faults.warn("'{\(name)}' is a parameter that the route does not declare\(hint)", at: node.place)
        }
        source.surroundings.placeholders.append((name, node.place))
        let isOptional = source.route.pattern.captures.first(named: name)?.isOptional == true
        return .parameter(name: Array(name.utf8), isList: source.route.isList(name), isOptional: isOptional)
    }

    /// Warns of a parameter as patterns and shells write it: `app:/show/:id`, `$id`.
    private func warnOfForeignPlaceholders() {
        for bytes in text.utf8.split(whereSeparator: { "/?&=".utf8.contains($0) }) {
            guard let mark = bytes.first, mark == UInt8(ascii: ":") || mark == UInt8(ascii: "$") else { continue }
            let word = Substring(bytes)
            let name = String(word.dropFirst())
            guard source.route.declares(name) else { continue }
            source.faults.warn(
                "'\(word)' is a text as it stands: a placeholder is written '{\(name)}'", at: node.place)
        }
    }

    /// Warns of a placeholder as other template languages write it: `{{name}}`.
    private func warnOfDoubleBraces(_ rest: Substring.UnicodeScalarView) {
        let text = rest.prefix { $0 != "}" && $0 != "{" }
        guard rest.dropFirst(text.count).starts(with: "}}".unicodeScalars) else { return }
        let name = String(text.drop { $0 == " " }.prefix { $0 != " " })
        guard source.route.declares(name) else { return }
        source.faults.warn(
            "'{{\(String(text))}}' is the text '{\(String(text))}': a placeholder is written '{\(name)}'",
            at: node.place)
    }

    private func fault<Result>(_ message: String) -> Result? {
        source.faults.report(message, at: node.place)
        return nil
    }
}

extension String {
    /// Whether it holds what code in braces has, and no name of a parameter that nobody has declared.
    fileprivate var looksLikeCode: Bool {
        hasPrefix(" ") || unicodeScalars.contains { $0.value < 0x20 || "\"'`$()<>|&;#=\\".unicodeScalars.contains($0) }
    }
}
