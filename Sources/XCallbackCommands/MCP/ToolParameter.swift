import XCallbackAdministration
import XCallbackClient
import XCallbackURL
import XCallbackWire

/// A parameter of a tool, or an item of its result, as the catalogue describes it.
///
/// Its schemas contain what all known clients read: a `type`, and patterns without an escape but `\xHH`, which JSON Schema, RE2
/// and the grammars of llama.cpp have in common.
struct ToolParameter {
    /// The grammars of llama.cpp have no repetition of 2,000 or more; one longer length makes it refuse all tools.
    private static let longestLength = 1_999

    /// The type of the value, or of each element of a list; nil if unknown.
    let type: ParameterType?
    private let parameter: Client.CatalogueRoute.Parameter

    init(_ parameter: Client.CatalogueRoute.Parameter) {
        self.parameter = parameter
        type = parameter.rule?.type
    }

    var name: String { parameter.name }
    var isRequired: Bool { parameter.isRequired }
    var isList: Bool { parameter.type == "list" }
    /// Whether it is in the path, where no value is empty.
    private var isInPath: Bool { parameter.place == .path }

    /// The schema of the value for the client (JSON Schema 2020-12): it rejects no value that the daemon accepts.
    var inputSchema: JSONValue {
        var schema = elementSchema(withBounds: true)
        if isList {
            schema = [.init("type", "array"), .init("items", .object(schema))]
            if isInPath { schema.append(.init("minItems", .number(1))) }
        }
        if let texts = parameter.defaultValues {
            let values = texts.map(typed)
            schema.append(.init("default", isList ? .array(values) : values.first ?? .null))
        }
        return .object(describing(schema))
    }

    /// The schema of the item for the client.
    var outputSchema: JSONValue {
        let element = elementSchema(withBounds: false)
        return .object(describing(isList ? [.init("type", "array"), .init("items", .object(element))] : element))
    }

    private func describing(_ schema: [JSONValue.Member]) -> [JSONValue.Member] {
        let texts = [parameter.description, type == .json ? "The text is JSON." : nil].compactMap(\.self)
        return texts.isEmpty ? schema : schema + [.init("description", .string(texts.joined(separator: " ")))]
    }

    private func elementSchema(withBounds: Bool) -> [JSONValue.Member] {
        var schema = [JSONValue.Member("type", .string(type?.traits.json ?? "string"))]
        if case .enumeration(let values)? = type { schema.append(.init("enum", .texts(values))) }
        guard withBounds, let type else { return schema }
        if let pattern = pattern(of: type) { schema.append(.init("pattern", .string(pattern))) }
        return schema + bounds(of: type) + lengths(of: type)
    }

    /// Returns the declared bounds of a number.
    ///
    /// Some grammars cannot express bounds with an exponent, and llama.cpp cannot read those of 64 bits.
    private func bounds(of type: ParameterType) -> [JSONValue.Member] {
        guard type == .integer || type == .number else { return [] }
        return [("minimum", parameter.minimum), ("maximum", parameter.maximum)].compactMap { name, text in
            text.flatMap { $0.contains("e") ? nil : JSONNumber($0) }.map { .init(name, .number($0)) }
        }
    }

    private func lengths(of type: ParameterType) -> [JSONValue.Member] {
        var (minimum, maximum) = (length(parameter.minimumLength), length(parameter.maximumLength))
        switch type {
        case .string:
            if isInPath { minimum = max(minimum ?? 1, 1) }
        case .url: break
        case .data:
            // Without and with padding.
            minimum = minimum.map { ($0 / 3) * 4 + ($0 % 3 * 4 + 2) / 3 }
            maximum = maximum.map { ($0 + 2) / 3 * 4 }
        default: return []
        }
        return [("minLength", minimum), ("maxLength", maximum)].compactMap { name, length in
            length.flatMap { $0 <= Self.longestLength ? .init(name, .number(JSONNumber($0))) : nil }
        }
    }

    /// Returns a length; nil if it exceeds any message.
    private func length(_ length: Int?) -> Int? {
        length.flatMap { 0...ToolServer.messageLimit ~= $0 ? $0 : nil }
    }

    /// Returns the pattern of a text; it has the same meaning in all dialects of regular expressions, except for a
    /// trailing line break.
    private func pattern(of type: ParameterType) -> String? {
        switch type {
        case .string: parameter.charset.flatMap(Self.pattern(ofCharset:))
        case .url: "^\(scheme):([^%\(Self.blanks)]|%[0-9A-Fa-f]{2})+$"
        default: type.traits.pattern
        }
    }

    /// The pattern of the scheme of a URL, in any case.
    private var scheme: String {
        guard let names = parameter.schemes, !names.isEmpty else {
            return "[A-Za-z][A-Za-z0-9+.-]*"
        }
        let patterns = names.map { name in
            name.map { $0.isLetter ? "[\($0.uppercased())\($0)]" : "[\($0)]" }.joined()
        }
        return "(\(patterns.joined(separator: "|")))"
    }

    /// The Unicode blanks and control characters, for use in brackets.
    private static let blanks =
        "\\x00-\\x20\\x7f-\u{A0}\u{1680}\u{2000}-\u{200A}\u{2028}\u{2029}\u{202F}\u{205F}\u{3000}"

    private static func pattern(ofCharset text: String) -> String? {
        guard let ranges = try? ParameterCharset.ranges(in: text) else { return nil }
        let members = ranges.map { range in
            let (first, last) = (range.lowerBound.inPattern, range.upperBound.inPattern)
            return range.lowerBound == range.upperBound ? first : "\(first)-\(last)"
        }
        return "^[\(members.joined())]*$"
    }

    /// Returns a text as a value of its type, or as a string if it does not have the type.
    private func typed(_ text: String) -> JSONValue { JSONValue(text, as: type) ?? .string(text) }
}

extension JSONValue {
    /// Creates the value of a text; nil if the text does not have the type.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - type: The type; nil for any text.
    init?(_ text: String, as type: ParameterType?) {
        guard let type else {
            self = .string(text)
            return
        }
        guard type.accepts(text.utf8.span) else { return nil }
        switch type {
        case .integer: self = .number(JSONNumber(TextForms.integer(in: text.utf8.span) ?? 0))
        case .number:
            // JSON has no numbers with leading zeros.
            guard let number = JSONNumber(text) ?? Double(text).flatMap({ JSONNumber("\($0)") }) else { return nil }
            self = .number(number)
        case .boolean: self = .bool(TextForms.boolean(in: text.utf8.span) ?? false)
        default: self = .string(text)
        }
    }
}

extension Unicode.Scalar {
    /// The character in the brackets of a regular expression.
    fileprivate var inPattern: String {
        switch self {
        case "a"..."z", "A"..."Z", "0"..."9", "\u{80}"...: String(self)
        default: "\\x" + (value < 16 ? "0" : "") + String(value, radix: 16)
        }
    }
}
