import FoundationEssentials

extension DecodingPlace {
    /// Decodes a value under a key of this place.
    ///
    /// - Throws: `DecodingError`, and the errors of the value.
    func value<Value: Decodable>(
        of type: Value.Type, from source: Source, at key: @autoclosure () -> any CodingKey
    ) throws -> Value {
        if isText(type) {
            return try text(of: type, from: source, at: key())
        }
        return try DecodingPlace(self, source, key()).decode(type)
    }

    /// Decodes a value that is a single text.
    ///
    /// - Throws: `DecodingError` if the text is not a valid value.
    func text<Value>(
        of type: Value.Type, from source: Source, at key: @autoclosure () -> (any CodingKey)?
    ) throws -> Value {
        if type == String.self { return same(try read(String.self, from: source, at: key()), type) }
        if type == Int.self { return same(try read(Int.self, from: source, at: key()), type) }
        if type == Double.self { return same(try read(Double.self, from: source, at: key()), type) }
        if type == Bool.self { return same(try read(Bool.self, from: source, at: key()), type) }
        if type == Date.self { return same(try readDate(from: source, at: key()), type) }
        if type == Data.self { return same(try readData(from: source, at: key()), type) }
        guard let textType = type as? any TextValue.Type,
            let value = try read(textType, from: source, at: key()) as? Value
        else { throw fault("has a type that no text has", at: key()) }
        return value
    }

    private func readDate(from source: Source, at key: @autoclosure () -> (any CodingKey)?) throws -> Date {
        let date = try withText(of: source, at: key()) { Date(queryText: $0, style.dates) }
        guard let date else { throw fault("must be \(Date.expectation(style.dates))", at: key()) }
        return date
    }

    private func readData(from source: Source, at key: @autoclosure () -> (any CodingKey)?) throws -> Data {
        let data = try withText(of: source, at: key()) { Data(queryText: $0) }
        guard let data else { throw fault("must be base64 or base64url", at: key()) }
        return data
    }
}

/// Whether values of a type are a single text, which for some types depends on the style.
func isText<Value>(_ type: Value.Type) -> Bool {
    type == Date.self || type == Data.self || isTextValue(type)
}

/// Returns a value as the same type under another generic name.
///
/// A cast would check the type again, which takes longer than decoding most values.
@inline(__always)
private func same<Known, Value>(_ value: Known, _ type: Value.Type) -> Value {
    precondition(Known.self == type, "only a value of the same type can be taken for it")
    return unsafeBitCast(value, to: type)
}
