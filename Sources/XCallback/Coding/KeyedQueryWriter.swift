/// Writes values under keys.
struct KeyedQueryWriter<Key: CodingKey> {
    private let place: EncodingPlace

    init(place: EncodingPlace) {
        self.place = place
    }

    private func put(_ value: some TextValue, _ key: Key) throws {
        guard let text = value.queryText else { throw place.noText(value, at: key) }
        try place.write(text, at: place.piece(of: key), key)
    }

    /// The place of a value under a key; it says that it is empty until something is written.
    private func nested(_ key: some CodingKey) -> EncodingPlace {
        place.nested(place.piece(of: key), key)
    }
}

extension KeyedQueryWriter: KeyedEncodingContainerProtocol {
    var codingPath: [any CodingKey] { place.codingPath }

    mutating func encodeNil(forKey key: Key) throws { try place.write(nil, at: place.piece(of: key), key) }
    mutating func encode(_ value: Bool, forKey key: Key) throws { try put(value, key) }
    mutating func encode(_ value: String, forKey key: Key) throws { try put(value, key) }
    mutating func encode(_ value: Double, forKey key: Key) throws { try put(value, key) }
    mutating func encode(_ value: Float, forKey key: Key) throws { try put(value, key) }
    mutating func encode(_ value: Int, forKey key: Key) throws { try put(value, key) }
    mutating func encode(_ value: Int8, forKey key: Key) throws { try put(value, key) }
    mutating func encode(_ value: Int16, forKey key: Key) throws { try put(value, key) }
    mutating func encode(_ value: Int32, forKey key: Key) throws { try put(value, key) }
    mutating func encode(_ value: Int64, forKey key: Key) throws { try put(value, key) }
    mutating func encode(_ value: Int128, forKey key: Key) throws { try put(value, key) }
    mutating func encode(_ value: UInt, forKey key: Key) throws { try put(value, key) }
    mutating func encode(_ value: UInt8, forKey key: Key) throws { try put(value, key) }
    mutating func encode(_ value: UInt16, forKey key: Key) throws { try put(value, key) }
    mutating func encode(_ value: UInt32, forKey key: Key) throws { try put(value, key) }
    mutating func encode(_ value: UInt64, forKey key: Key) throws { try put(value, key) }
    mutating func encode(_ value: UInt128, forKey key: Key) throws { try put(value, key) }

    mutating func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
        let piece = place.piece(of: key)
        if let text = try place.text(of: value, at: key) { return try place.write(text, at: piece, key) }
        try place.place(of: piece, key).encode(value)
    }

    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> {
        nested(key).container(keyedBy: type)
    }

    mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        nested(key).unkeyedContainer()
    }

    mutating func superEncoder() -> any Encoder { nested(SuperKey()) }

    mutating func superEncoder(forKey key: Key) -> any Encoder { nested(key) }
}

/// The key of what a class takes over from its superclass.
struct SuperKey: CodingKey {
    var stringValue: String { "super" }
    var intValue: Int? { nil }

    init() {}
    init?(stringValue: String) { nil }
    init?(intValue: Int) { nil }
}
