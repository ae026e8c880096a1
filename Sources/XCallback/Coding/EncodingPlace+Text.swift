import FoundationEssentials

extension EncodingPlace {
    /// Returns the text of a value that is a single text; nil for a value that encodes itself.
    ///
    /// - Throws: `EncodingError` for a value without text, such as a number that is not finite.
    func text<Value: Encodable>(of value: Value, at key: @autoclosure () -> (any CodingKey)? = nil) throws -> String? {
        let text: String?
        if Value.self == String.self, let value = value as? String {
            return value
        } else if Value.self == Int.self, let number = value as? Int {
            return number.queryText
        } else if Value.self == Date.self, let date = value as? Date {
            text = date.queryText(writer.style.dates)
        } else if Value.self == Data.self, let data = value as? Data {
            text = data.queryText(writer.style.bytes)
        } else if isTextValue(Value.self), let value = value as? any TextValue {
            text = value.queryText
        } else {
            return nil
        }
        guard let text else { throw noText(value, at: key()) }
        return text
    }

    /// Creates the error for a value without text.
    func noText(_ value: Any, at key: @autoclosure () -> (any CodingKey)? = nil) -> EncodingError {
        let kind = value is any BinaryFloatingPoint ? "number that is not finite" : "\(type(of: value))"
        return error("a \(kind) that has no form in a query", value, at: key())
    }
}

/// Whether values of a type are a single text, however they would encode themselves.
///
/// Comparing types costs almost nothing, but checking each value for a conformance takes longer than encoding it.
func isTextValue<Value>(_ type: Value.Type) -> Bool {
    type == Int.self || type == Bool.self || type == Double.self || type == String.self || type == URL.self
        || type == UUID.self || type == Decimal.self || isOtherNumber(type)
}

private func isOtherNumber<Value>(_ type: Value.Type) -> Bool {
    type == Int64.self || type == Int32.self || type == Int16.self || type == Int8.self || type == Int128.self
        || type == UInt.self || type == UInt64.self || type == UInt32.self || type == UInt16.self
        || type == UInt8.self || type == UInt128.self || type == Float.self
}
