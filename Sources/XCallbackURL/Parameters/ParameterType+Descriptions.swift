extension ParameterType {
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
