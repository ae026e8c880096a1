import XCallbackURL
import XCallbackWire

/// A parameter of a tool, or an item of its result, as the catalogue describes it.
struct ToolParameter {
    let name: String
    /// The type of the value, or of each element of a list; nil if unknown.
    let type: ParameterType?
    let isList: Bool
    let isRequired: Bool
    /// Whether it is in the path, where no value is empty.
    private let isInPath: Bool
    private let value: JSONValue

    /// Reads a `Parameter` of the daemon's interface; nil if it is from another version.
    init?(_ value: JSONValue) {
        guard let name = value["name"]?.text else { return nil }
        self.name = name
        self.value = value
        isList = value["type"]?.text == "list"
        let word = isList ? value["of"]?.text : value["type"]?.text
        let values = value["values"]?.elements?.compactMap(\.text)
        type = word == "enum" ? .enumeration(values ?? []) : word.flatMap { ParameterType(name: $0) }
        isRequired = value["required"]?.truth ?? false
        isInPath = value["place"]?.text == "path"
    }

    /// The schema of the value for the client (JSON Schema 2020-12): it rejects no value that the daemon accepts.
    var inputSchema: JSONValue {
        var schema = elementSchema(withBounds: true)
        if isList {
            schema = [.init("type", "array"), .init("items", .object(schema))]
            if isInPath { schema.append(.init("minItems", .number(1))) }
        }
        if let texts = value["default"]?.elements?.compactMap(\.text) {
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
        guard let description = value["description"]?.text else { return schema }
        return schema + [.init("description", .string(description))]
    }

    private func elementSchema(withBounds: Bool) -> [JSONValue.Member] {
        guard let type else { return [] }
        var schema: [JSONValue.Member]
        switch type {
        case .integer: schema = [.init("type", "integer")]
        case .number: schema = [.init("type", "number")]
        case .boolean: schema = [.init("type", "boolean")]
        case .enumeration(let values):
            schema = [.init("type", "string"), .init("enum", .array(values.map(JSONValue.string)))]
        case .string, .date, .url, .uuid, .data: schema = [.init("type", "string")]
        case .json: schema = []
        }
        guard withBounds else { return schema }
        if let pattern = pattern(of: type) { schema.append(.init("pattern", .string(pattern))) }
        return schema + bounds(of: type) + lengths(of: type)
    }

    /// Returns the bounds of a number; those of 64 bits by default.
    private func bounds(of type: ParameterType) -> [JSONValue.Member] {
        guard type == .integer || type == .number else { return [] }
        let isWhole = type == .integer
        let minimum = value["min"]?.text ?? (isWhole ? String(Int64.min) : nil)
        let maximum = value["max"]?.text ?? (isWhole ? String(Int64.max) : nil)
        return [("minimum", minimum), ("maximum", maximum)].compactMap { name, text in
            text.flatMap(JSONNumber.init).map { .init(name, .number($0)) }
        }
    }

    private func lengths(of type: ParameterType) -> [JSONValue.Member] {
        var (minimum, maximum) = (length("min_length"), length("max_length"))
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
            length.map { .init(name, .number(JSONNumber($0))) }
        }
    }

    /// Returns a length; nil if it exceeds any message.
    private func length(_ name: String) -> Int? {
        value[name]?.integer.flatMap { 0...ToolServer.messageLimit ~= $0 ? $0 : nil }
    }

    /// Returns the pattern of a text; it has the same meaning in all dialects of regular expressions, except for a
    /// trailing line break.
    private func pattern(of type: ParameterType) -> String? {
        switch type {
        case .string: (value["charset"]?.text).flatMap(Self.pattern(ofCharset:)) ?? "^[^\\u0000]*$"
        case .date:
            "^[0-9]{4}-[0-9]{2}-[0-9]{2}"
                + "(T[0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]{1,9})?(Z|[+\\-][0-9]{2}:[0-9]{2}))?$"
        case .url: "^\(scheme):([^%\(Self.blanks)]|%[0-9A-Fa-f]{2})+$"
        case .uuid: "^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$"
        case .data: "^([A-Za-z0-9+/]+|[A-Za-z0-9_\\-]+)={0,2}$"
        case .integer, .number, .boolean, .json, .enumeration: nil
        }
    }

    /// The pattern of the scheme of a URL, in any case.
    private var scheme: String {
        guard let names = value["schemes"]?.elements?.compactMap(\.text), !names.isEmpty else {
            return "[A-Za-z][A-Za-z0-9+.\\-]*"
        }
        let patterns = names.map { name in
            name.map { $0.isLetter ? "[\($0.uppercased())\($0)]" : "[\($0 == "-" ? "\\-" : String($0))]" }.joined()
        }
        return "(\(patterns.joined(separator: "|")))"
    }

    /// The Unicode blanks and control characters, for use in brackets.
    private static let blanks =
        "\\u0000-\\u0020\\u007f-\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000"

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
        case .json:
            guard let value = try? JSONValue(parsing: text.utf8.span, maximumSize: text.utf8.count) else { return nil }
            self = value
        case .string, .date, .url, .uuid, .data, .enumeration: self = .string(text)
        }
    }
}

extension Unicode.Scalar {
    /// The character escaped for the brackets of a regular expression.
    fileprivate var inPattern: String {
        switch self {
        case "a"..."z", "A"..."Z", "0"..."9": String(self)
        case "\u{10000}"...: String(self)
        default:
            "\\u" + String(repeating: "0", count: 4 - String(value, radix: 16).count) + String(value, radix: 16)
        }
    }
}
