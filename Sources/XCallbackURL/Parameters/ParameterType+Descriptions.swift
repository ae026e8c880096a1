extension ParameterType {
    /// Texts that the type accepts, enough to tell whether two types have a text in common.
    ///
    /// If any text is accepted by two types, then one of them accepts a sample of the other.
    package var samples: [String] {
        switch self {
        case .integer: ["0", "1", "12", "-1", "20240131"]
        case .number: ["0", "1", "12", "-1", "20240131", "0.5", "1e10"]
        case .boolean: ["true", "false", "yes", "no", "1", "0"]
        case .string: ["text", ""]
        case .date: ["2026-01-31", "2026-01-31T08:00:00Z", "2026-01-31T08:00:00.5+01:00"]
        case .url: ["https://example.org/", "mailto:someone@example.org"]
        case .uuid: ["f81d4fae-7dec-11d0-a765-00a0c91e6bf6"]
        case .data: ["20240131", "TWFu", "TWE=", "TQ"]
        case .enumeration(let values): values
        }
    }

    /// Whether ``samples`` are all the texts that the type accepts.
    package var isFinite: Bool {
        switch self {
        case .boolean, .enumeration: true
        case .integer, .number, .string, .date, .url, .uuid, .data: false
        }
    }

    /// What a text must be, as a phrase that follows “must be”.
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
        case .enumeration(let values): "one of " + values.joined(separator: ", ")
        }
    }
}
