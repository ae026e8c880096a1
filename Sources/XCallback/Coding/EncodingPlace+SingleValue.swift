extension EncodingPlace: SingleValueEncodingContainer {
    func encodeNil() throws { try write(nil) }
    /// Writes a number, a Boolean or a string, for each of which the protocol has a function of its own.
    func encode<Value: Encodable & TextValue>(_ value: Value) throws {
        guard let text = value.queryText else { throw noText(value) }
        try write(text)
    }
}
