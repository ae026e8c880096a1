import XCallbackWire

/// The type of a parameter, which determines the accepted texts.
///
/// The type of a path parameter determines whether a route matches; ``ParameterRule`` adds further constraints.
package enum ParameterType: Hashable, Sendable {
    /// An integer of 64 bits: `-7`, `007`.
    case integer
    /// A finite decimal number: `-7`, `0.5`, `1e6`.
    case number
    /// `true`, `yes`, `1`, `false`, `no` or `0`, in any case.
    case boolean
    /// Any text, including the empty text.
    case string
    /// An ISO 8601 date, or date and time with offset: `2026-01-31`, `2026-01-31T08:00:00Z`.
    case date
    /// An absolute URL: `https://example.org/`.
    case url
    /// A UUID with hyphens, in any case.
    case uuid
    /// Bytes as base64 or base64url, with or without padding.
    case data
    /// A JSON text (RFC 8259), which is passed on as it came.
    case json
    /// One of the given texts, exactly as written.
    case enumeration([String])

    /// The types that are defined by their names alone, in the order of the documentation.
    private static let simple: [Self] = [.integer, .number, .boolean, .string, .date, .url, .uuid, .data, .json]
    /// The names of these types.
    package static let simpleNames = simple.map(\.name)

    /// All names allowed for `type` in a declaration: the simple ones, `enum` and `list`.
    package static let names = simpleNames + ["enum", "list"]

    /// Creates a type from its name in a declaration.
    ///
    /// - Parameter name: One of ``simpleNames``; `nil` for any other name, including `enum`, which needs its values.
    package init?(name: String) {
        guard let type = Self.simple.first(where: { $0.name == name }) else { return nil }
        self = type
    }

    /// The name of the type in a declaration.
    package var name: String {
        switch self {
        case .integer: "int"
        case .number: "number"
        case .boolean: "bool"
        case .string: "string"
        case .date: "date"
        case .url: "url"
        case .uuid: "uuid"
        case .data: "data"
        case .json: "json"
        case .enumeration: "enum"
        }
    }

    /// Whether a text is a value of the type.
    ///
    /// Linear in the text, and for an enumeration in its values. Only ``string`` accepts the empty text, unless it is a
    /// value of an enumeration.
    ///
    /// - Parameter text: Decoded text in UTF-8.
    /// - Returns: Whether the complete text is one value.
    package func accepts(_ text: Span<UInt8>) -> Bool {
        switch self {
        case .integer: TextForms.integer(in: text) != nil
        case .number: TextForms.number(in: text) != nil
        case .boolean: TextForms.boolean(in: text) != nil
        case .string: true
        case .date: TextForms.instant(in: text) != nil
        case .url: TextForms.isURL(text)
        case .uuid: TextForms.isUUID(text)
        case .data: TextForms.dataCount(of: text) != nil
        case .json: (try? JSONDocument(checking: text)) != nil
        case .enumeration(let values): values.contains { areEqual(text, $0.utf8.span) }
        }
    }

    /// Whether a text in a path has the type, which determines whether a route matches.
    ///
    /// The same as ``accepts(_:)``, except for a number that is too large: its route matches, and rejects it.
    package func matches(_ text: Span<UInt8>) -> Bool {
        self == .number ? TextForms.isWrittenAsNumber(text) : accepts(text)
    }

    /// Returns the canonical form of a text with several spellings: `true` or `false` for a Boolean.
    ///
    /// - Parameter text: Decoded text in UTF-8.
    /// - Returns: The canonical form; `nil` for an invalid text and for all other types, whose texts do not change.
    package func canonical(_ text: Span<UInt8>) -> String? {
        guard self == .boolean, let value = TextForms.boolean(in: text) else { return nil }
        return value ? "true" : "false"
    }

    /// The required format, as a phrase that follows “must be”.
    package var expectation: String {
        switch self {
        case .integer: "a whole number"
        case .number: "a number"
        case .boolean: "true or false"
        case .string: "text"
        case .date: "a date such as 2026-01-31 or 2026-01-31T08:00:00Z"
        case .url: "an absolute URL"
        case .uuid: "a UUID"
        case .data: "base64 or base64url"
        case .json: "JSON"
        case .enumeration(let values): "one of " + values.joined(separator: ", ")
        }
    }
}

/// The declaration of a parameter type, with the names of the configuration.
///
/// The keys are `type`, `of` and `values`; the short form `id: int` declares only the name.
package struct ParameterTypeDeclaration: Hashable, Sendable {
    /// The name under `type`, one of ``ParameterType/names``; `string` by default.
    package var name = "string"
    /// The name under `of`: the type of a list's elements; `string` by default.
    package var elementName: String?
    /// The texts under `values`, for an enumeration or a list of one.
    package var values: [String]?

    /// Creates a declaration; its parts need not be valid.
    package init(name: String = "string", elementName: String? = nil, values: [String]? = nil) {
        self.name = name
        self.elementName = elementName
        self.values = values
    }

    /// Whether the parameter has several values.
    package var isList: Bool { name == "list" }

    /// The type of the parameter, or of each element of a list; `nil` if there are ``inconsistencies()``.
    package var type: ParameterType? {
        guard inconsistencies().isEmpty else { return nil }
        return typeName == "enum" ? .enumeration(values ?? []) : ParameterType(name: typeName)
    }

    /// Lists the contradictions of the declaration, in the order of its keys.
    package func inconsistencies() -> [ParameterRuleInconsistency] {
        var found: [ParameterRuleInconsistency] = []
        if let elementName {
            if !isList {
                found.append(.init(key: "of", message: "of is for lists only"))
            } else if elementName == "list" {
                found.append(.init(key: "of", message: "a list cannot hold lists"))
            }
        }
        if typeName == "enum" {
            if values == nil || values == [] {
                found.append(.init(key: "values", message: "an enum needs at least one value"))
            } else if values?.contains("") == true {
                found.append(.init(key: "values", message: "a value of an enum must not be empty"))
            } else if let repeated = repeatedValue {
                found.append(.init(key: "values", message: "the value '\(repeated)' is there twice"))
            }
        } else if values != nil {
            found.append(.init(key: "values", message: "values is for enum only"))
        }
        return found
    }

    /// The first value that is repeated.
    private var repeatedValue: String? {
        var known: Set<[UInt8]> = []
        return values?.first { !known.insert(Array($0.utf8)).inserted }
    }

    private var typeName: String { isList ? elementName ?? "string" : name }
}
