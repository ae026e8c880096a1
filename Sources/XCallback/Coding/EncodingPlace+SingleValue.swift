extension EncodingPlace: SingleValueEncodingContainer {
    func encodeNil() throws { try write(nil) }
    func encode(_ value: Bool) throws { try put(value) }
    func encode(_ value: String) throws { try write(value) }
    func encode(_ value: Double) throws { try put(value) }
    func encode(_ value: Float) throws { try put(value) }
    func encode(_ value: Int) throws { try put(value) }
    func encode(_ value: Int8) throws { try put(value) }
    func encode(_ value: Int16) throws { try put(value) }
    func encode(_ value: Int32) throws { try put(value) }
    func encode(_ value: Int64) throws { try put(value) }
    func encode(_ value: Int128) throws { try put(value) }
    func encode(_ value: UInt) throws { try put(value) }
    func encode(_ value: UInt8) throws { try put(value) }
    func encode(_ value: UInt16) throws { try put(value) }
    func encode(_ value: UInt32) throws { try put(value) }
    func encode(_ value: UInt64) throws { try put(value) }
    func encode(_ value: UInt128) throws { try put(value) }

    private func put(_ value: some TextValue) throws {
        guard let text = value.queryText else { throw noText(value) }
        try write(text)
    }
}
