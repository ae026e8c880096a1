import XCallbackConfiguration
import XCallbackRouter
import XCallbackURL
import XCallbackWire

/// Text with placeholders: `{name}` for a parameter, `{@fact}` for a fact, `{{` and `}}` for braces.
struct Template: Sendable {
    /// A part of the text.
    enum Part: Sendable {
        case literal([UInt8])
        /// A parameter; `isOptional` marks a capture in an optional group.
        case parameter(name: [UInt8], isList: Bool, isOptional: Bool)
        case fact(RequestFact)
        /// Data that middleware stored under a key.
        case data(String)
    }

    let parts: [Part]

    /// The text, if there are no placeholders.
    var literal: [UInt8]? {
        switch parts.count {
        case 0: []
        case 1: if case .literal(let text) = parts[0] { text } else { nil }
        default: nil
        }
    }

    /// The placeholder, if the template consists of a single one.
    var onlyPlaceholder: Part? {
        guard parts.count == 1, literal == nil else { return nil }
        return parts[0]
    }

    /// Appends the text with its placeholders filled; absent values are empty.
    ///
    /// - Throws: ``CallbackError`` 422 if a parameter that is not a list occurs more than once.
    func append(_ request: borrowing Request, to output: inout ByteBuffer) throws(CallbackError) {
        for part in parts { try part.append(request, to: &output) }
    }

    /// Returns the text with its placeholders filled, cut to what a notification shows; nil if it cannot be filled.
    func text(for request: Request) -> String? {
        var output = ByteBuffer()
        guard (try? append(request, to: &output)) != nil else { return nil }
        return String(String(decoding: output.contents, as: UTF8.self).prefix(300))
    }
}

extension Template.Part {
    /// Calls a function with each item of the part: zero items if the part is absent, or one or more.
    ///
    /// An item has a value or not: a name alone, such as an empty list, is an item without a value.
    func forEachItem(_ request: borrowing Request, _ body: (Span<UInt8>, _ hasValue: Bool) -> Void) {
        switch self {
        case .literal(let text): body(text.span, true)
        case .parameter(let name, _, _):
            let texts = request.parameters.storage.bytes.span
            for index in request.parameters.entries.indices {
                let entry = request.parameters.entries[index]
                guard areEqual(texts.extracting(entry.name), name.span) else { continue }
                body(texts.extracting(entry.value), entry.hasValue)
            }
        case .fact(let fact):
            if let text = request.text(of: fact) { body(Array(text.utf8).span, true) }
        case .data(let key):
            if let text = request.text(ofData: key) { body(Array(text.utf8).span, true) }
        }
    }

    /// Appends the part as one text.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - output: The buffer to append to.
    ///   - separator: The text between the values of a list.
    ///   - encoding: How values are encoded; literal text and separators never are.
    /// - Throws: ``CallbackError`` 422 if a parameter that is not a list occurs more than once.
    func append(
        _ request: borrowing Request, to output: inout ByteBuffer, joinedBy separator: UInt8 = UInt8(ascii: ","),
        as encoding: ValueEncoding = .none
    ) throws(CallbackError) {
        if case .literal(let text) = self { return output.append(text.span) }
        var count = 0
        forEachItem(request) { value, _ in
            if count > 0 { output.append(separator) }
            encoding.append(value, to: &output)
            count += 1
        }
        guard count > 1, case .parameter(let name, isList: false, _) = self else { return }
        throw CallbackError(.badParameter, "Parameter '\(String(utf8: name.span))' is given more than once.")
    }
}

/// How a value is written in a text.
enum ValueEncoding {
    /// As it is.
    case none
    /// Percent-encoded, for any part of a URL.
    case whole
    /// Percent-encoded as in the path of another application's URL.
    case path

    func append(_ value: Span<UInt8>, to output: inout ByteBuffer) {
        switch self {
        case .none: output.append(value)
        case .whole: output.append(percentEncoding: value)
        case .path: output.append(percentEncodingInPath: value)
        }
    }
}

extension Request {
    /// Returns the text that middleware stored under a key, or a member of a stored object: `app-link.target_url`.
    fileprivate func text(ofData path: String) -> String? {
        if let text = data[path] as? String { return text }
        var names = path.split(separator: ".", omittingEmptySubsequences: false)[...]
        guard let first = names.popFirst(), var value = data[String(first)] as? JSONValue else { return nil }
        while let name = names.popFirst() {
            guard let member = value[String(name)] else { return nil }
            value = member
        }
        switch value {
        case .string(let text): return text.utf8.contains(0) ? nil : text
        case .number(let number): return number.text
        case .bool(let isTrue): return isTrue ? "true" : "false"
        case .null, .array, .object: return nil
        }
    }
}

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
                // A variable that a shell expands.
                if isCode, literal.last == UInt8(ascii: "$"), !source.route.declares(name) {
                    return fault("in shell code '${' is written '${{', and its '}' is written '}}'")
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
        literal += String(scalar).utf8
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
                if source.route.declares(String(name.dropFirst())) {
                    return fault("unknown fact '{\(name)}'; did you mean '{\(name.dropFirst())}'?")
                }
                return fault("unknown fact '{\(name)}'\(name.suggestion(among: facts + ["@data."]))")
            }
            return .fact(fact)
        }
        if name.isEmpty { return fault("a placeholder without a name in a template: write '{{}}' for braces") }
        if source.route.syntax == .callback, name.lowercased().hasPrefix("x-") {
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
        let isOptional = source.route.captures.first(named: name)?.isOptional == true
        return .parameter(name: Array(name.utf8), isList: source.route.isList(name), isOptional: isOptional)
    }

    /// Warns about a placeholder of a shell, a pattern or another template language that is text here: `:id`, `$id`,
    /// `${id}`, `%{id}`, `<id>`, `{{id}}`.
    private func warnOfForeignPlaceholder() {
        // Most texts have none of these bytes.
        guard text.utf8.contains(where: { ":$%<".utf8.contains($0) }) || text.hasPrefix("{{") else { return }
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
