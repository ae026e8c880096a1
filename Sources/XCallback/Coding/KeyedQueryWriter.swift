/// Encodes values under keys.
struct KeyedQueryWriter<Key: CodingKey> {
    let place: EncodingPlace

    /// Returns the place of the value under a key; it is marked as empty until something is written.
    private func nested(_ key: some CodingKey) -> EncodingPlace {
        place.nested(place.piece(of: key), key)
    }
}

extension KeyedQueryWriter: KeyedEncodingContainerProtocol {
    var codingPath: [any CodingKey] { place.codingPath }

    mutating func encodeNil(forKey key: Key) throws { try place.write(nil, at: place.piece(of: key), key) }

    /// Encodes a number, a Boolean or a string, each of which has a protocol requirement of its own.
    mutating func encode<Value: Encodable & TextValue>(_ value: Value, forKey key: Key) throws {
        guard let text = value.queryText else { throw place.noText(value, at: key) }
        try place.write(text, at: place.piece(of: key), key)
    }

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

    mutating func superEncoder() -> any Encoder { nested(SuperKey.super) }

    mutating func superEncoder(forKey key: Key) -> any Encoder { nested(key) }
}

/// The key of the values that a class inherits from its superclass.
enum SuperKey: CodingKey {
    case `super`
}
