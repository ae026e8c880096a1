import FoundationEssentials

extension DecodingPlace {
    /// Reads a value that is one text; nil for a type that decodes itself.
    ///
    /// - Throws: `DecodingError` if the text is not such a value.
    func value<Value>(of type: Value.Type, from source: Source, at key: (any CodingKey)? = nil) throws -> Value? {
        if type == String.self { return try read(String.self, from: source, at: key) as? Value }
        if type == Date.self {
            let date = try withText(of: source, at: key) { Date(queryText: $0, style.dates) }
            guard let date else { throw fault("must be \(Date.expectation(style.dates))", at: key) }
            return date as? Value
        }
        if type == Data.self {
            let data = try withText(of: source, at: key) { Data(queryText: $0) }
            guard let data else { throw fault("must be base64 or base64url", at: key) }
            return data as? Value
        }
        guard isTextValue(type), let textType = type as? any TextValue.Type else { return nil }
        return try read(textType, from: source, at: key) as? Value
    }

    /// Whether values of a type are one text each, for which a name alone is none.
    func isText<Value>(_ type: Value.Type) -> Bool {
        type == Date.self || type == Data.self || type != Bool.self && isTextValue(type)
    }
}
