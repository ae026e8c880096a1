extension EncodingPlace: SingleValueEncodingContainer {
    func encodeNil() throws { try write(nil) }
    /// Encodes a number, a Boolean or a string, each of which has a protocol requirement of its own.
    func encode<Value: Encodable & TextValue>(_ value: Value) throws {
        guard let text = value.queryText else { throw noText(value) }
        try write(text)
    }
}
