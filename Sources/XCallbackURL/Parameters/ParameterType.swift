import XCallbackBytes

/// The type of a parameter: which texts it accepts.
///
/// The type of a path parameter decides whether a route matches; ``ParameterRule`` adds what may be said beyond it.
package enum ParameterType: Hashable, Sendable {
    /// A whole number of 64 bits: `-7`, `007`.
    case integer
    /// A finite decimal number: `-7`, `0.5`, `1e6`.
    case number
    /// `true`, `yes`, `1`, `false`, `no` or `0`, in any case.
    case boolean
    /// Any text, also the empty one.
    case string
    /// A date or a date with time and offset of ISO 8601: `2026-01-31`, `2026-01-31T08:00:00Z`.
    case date
    /// An absolute URL: `https://example.org/`.
    case url
    /// A UUID in its form with hyphens, in any case.
    case uuid
    /// Bytes as base64 or base64url, with or without padding.
    case data
    /// One of the given texts, exactly as written.
    case enumeration([String])

    /// The types that need no more than their name, in the order of the documentation.
    private static let simple: [Self] = [.integer, .number, .boolean, .string, .date, .url, .uuid, .data]
    /// Their words.
    package static let simpleNames = simple.map(\.name)

    /// All words that a declaration may use as `type`: the simple ones, `enum` and `list`.
    package static let names = simpleNames + ["enum", "list"]

    /// Creates a type from its word in a declaration.
    ///
    /// - Parameter name: One of ``simpleNames``; any other word gives `nil`, also `enum`, which needs its values.
    package init?(name: String) {
        guard let type = Self.simple.first(where: { $0.name == name }) else { return nil }
        self = type
    }

    /// The word for the type in a declaration.
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
        case .enumeration: "enum"
        }
    }

    /// Tells whether a text is a value of the type.
    ///
    /// Linear in the text, and for an enumeration in its values. Only ``string`` accepts the empty text, unless an
    /// enumeration names it.
    ///
    /// - Parameter text: Decoded text in UTF-8.
    /// - Returns: Whether all of the text is one value.
    package func accepts(_ text: Span<UInt8>) -> Bool {
        switch self {
        case .integer: TextForms.integer(in: text) != nil
        case .number: TextForms.isNumber(text)
        case .boolean: TextForms.boolean(in: text) != nil
        case .string: true
        case .date: TextForms.isDate(text)
        case .url: TextForms.isURL(text)
        case .uuid: TextForms.isUUID(text)
        case .data: TextForms.dataCount(of: text) != nil
        case .enumeration(let values): values.contains { areEqual(text, $0.utf8.span) }
        }
    }

    /// Tells whether a text in a path is one of the type: what decides whether a route matches.
    ///
    /// The same as ``accepts(_:)``, but for a number that is too large: its route matches, and refuses it.
    package func matches(_ text: Span<UInt8>) -> Bool {
        self == .number ? TextForms.isWrittenAsNumber(text) : accepts(text)
    }

    /// The one spelling of a text that has several: `true` or `false` for a Boolean.
    ///
    /// - Parameter text: Decoded text in UTF-8.
    /// - Returns: The spelling, or `nil` for a text that is not accepted and for every other type, whose texts stay
    ///   as they are.
    package func canonical(_ text: Span<UInt8>) -> String? {
        guard self == .boolean, let value = TextForms.boolean(in: text) else { return nil }
        return value ? "true" : "false"
    }
}
