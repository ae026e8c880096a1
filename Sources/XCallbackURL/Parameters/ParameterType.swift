import XCallbackWire

/// The type of a parameter, which determines the accepted texts.
///
/// The type of a path parameter determines whether a route matches; ``ParameterRule`` adds further constraints.
///
/// Each case says what it accepts, and how that looks in a URL: `Docs/Site/reference` makes the rows of the reference from it.
package enum ParameterType: Hashable, Sendable {
    /// A whole number of 64 bits: `42`, `-7`.
    case integer
    /// A decimal number: `1.5`, `-2e10`.
    case number
    /// `true`, `false`, `yes`, `no`, `1`, `0`, in any case; the name alone is true: `flag`.
    case boolean
    /// Any text, also an empty one: `a%20b`.
    case string
    /// ISO 8601: a day, or a day and a time with its zone: `2026-01-31`, `2026-01-31T08:00:00Z`.
    case date
    /// A scheme, a colon and something behind it: `https%3A%2F%2Fexample.org`.
    case url
    /// RFC 9562: `f81d4fae-7dec-11d0-a765-00a0c91e6bf6`.
    case uuid
    /// Base64 or base64url: `aGk`.
    case data
    /// A JSON text (RFC 8259), which is passed on as it came: `%7B%22a%22:1%7D`.
    case json
    /// The path of a file or a folder that exists, or its `file:` URL: `%2Fhome%2Fann%2Fa.txt`.
    case file
    /// One of `values`: `low`.
    case enumeration([String])

    /// The types that are defined by their names alone, in the order of the documentation.
    private static let simple: [Self] = [.integer, .number, .boolean, .string, .date, .url, .uuid, .data, .json, .file]
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
    package var name: String { traits.name }

    /// The required format, as a phrase that follows “must be”.
    package var expectation: String { traits.expectation }

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
        // The daemon looks for the file when it has decoded the input.
        case .file: !text.isEmpty
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
}

/// What messages, schemas, routes and examples need to know of a type.
package struct ParameterTypeTraits: Sendable {
    /// The name in a declaration.
    package let name: String
    /// The required format, as a phrase that follows “must be”.
    package let expectation: String
    /// A value for people to start with; nil for a text of their own.
    package var example: String?
    /// The type in a JSON schema.
    package var json = "string"
    /// The regular expression of all values; nil if there is none, or if it depends on the declaration.
    ///
    /// It is for other programs, of which some know no escape but `\xHH`.
    package var pattern: String?
    /// The ASCII bytes of which all values consist; nil if a value can have any byte.
    package var alphabet: String?
    /// Values in paths: one that another type accepts, too, for each type that does.
    package let inPaths: [String]
    /// Whether a value can be any text, so that it can be code.
    package let isFree: Bool
}

extension ParameterType {
    /// What is particular to the type: the table of all types.
    package var traits: ParameterTypeTraits {
        switch self {
        case .integer:
            .init(
                name: "int", expectation: "a whole number", example: "1", json: "integer", alphabet: "-0123456789",
                inPaths: ["0", "0000"], isFree: false)
        case .number:
            .init(
                name: "number", expectation: "a number", example: "1", json: "number", alphabet: "-+.0123456789eE",
                inPaths: ["0", "0000"], isFree: false)
        case .boolean:
            .init(
                name: "bool", expectation: "true or false", example: "true", json: "boolean",
                alphabet: "01TRUEYSFALNOtrueysfalno", inPaths: ["true", "1"], isFree: false)
        case .string: .init(name: "string", expectation: "text", inPaths: ["a"], isFree: true)
        case .date:
            .init(
                name: "date", expectation: "a date such as 2026-01-31 or 2026-01-31T08:00:00Z", example: "2026-01-31",
                pattern: "^[0-9]{4}-[0-9]{2}-[0-9]{2}"
                    + "(T[0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]{1,9})?(Z|[+-][0-9]{2}:[0-9]{2}))?$",
                alphabet: "-+.:0123456789TZ", inPaths: ["2026-01-31"], isFree: false)
        case .url:
            .init(
                name: "url", expectation: "an absolute URL", example: "https://example.org/", inPaths: ["a:b"],
                isFree: true)
        case .uuid:
            .init(
                name: "uuid", expectation: "a UUID", example: "123e4567-e89b-12d3-a456-426614174000",
                pattern: "^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$",
                alphabet: "-0123456789ABCDEFabcdef", inPaths: ["00000000-0000-0000-0000-000000000000"],
                isFree: false)
        case .data:
            .init(
                name: "data", expectation: "base64 or base64url", example: "SGVsbG8",
                pattern: "^([A-Za-z0-9+/]+|[A-Za-z0-9_-]+)={0,2}$",
                alphabet: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_=", inPaths: ["AAAA"],
                isFree: true)
        case .json: .init(name: "json", expectation: "JSON", example: "{}", inPaths: ["0"], isFree: true)
        case .file: .init(name: "file", expectation: "the path of a file", inPaths: ["a"], isFree: true)
        case .enumeration(let values):
            .init(name: "enum", expectation: "one of " + values.joined(separator: ", "), inPaths: values, isFree: false)
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
