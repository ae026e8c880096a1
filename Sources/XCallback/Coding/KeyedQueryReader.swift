/// Decodes values under keys.
struct KeyedQueryReader<Key: CodingKey> {
    let place: DecodingPlace

    private func nested(_ key: some CodingKey) -> DecodingPlace {
        DecodingPlace(place, place.source(of: key), key)
    }
}

extension KeyedQueryReader: KeyedDecodingContainerProtocol {
    var codingPath: [any CodingKey] { place.codingPath }

    var allKeys: [Key] {
        guard let node = place.keyedNode else { return [] }
        return place.tree.children(of: node).compactMap { place.key(of: $0, as: Key.self) }
    }

    func contains(_ key: Key) -> Bool {
        if case .absent = place.source(of: key) { false } else { true }
    }

    func decodeNil(forKey key: Key) throws -> Bool { place.isNil(place.source(of: key)) }

    /// Decodes a number, a Boolean or a string, each of which has a protocol requirement of its own.
    func decode<Value: Decodable & TextValue>(_ type: Value.Type, forKey key: Key) throws -> Value {
        try place.read(type, from: place.source(of: key), at: key)
    }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        try place.value(of: type, from: place.source(of: key), at: key)
    }

    /// A name alone means true.
    func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? {
        let source = place.source(of: key)
        return if case .absent = source { nil } else { try place.read(type, from: source, at: key) }
    }

    /// A name alone means nil.
    func decodeIfPresent<Value: Decodable & TextValue>(_ type: Value.Type, forKey key: Key) throws -> Value? {
        let source = place.source(of: key)
        return place.isNil(source) ? nil : try place.read(type, from: source, at: key)
    }

    /// A name alone means an empty list or value, or nil if the value is a text.
    func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
        let source = place.source(of: key)
        if case .absent = source { return nil }
        let isFlag = place.isFlag(source)
        if isText(type) { return isFlag && type != Bool.self ? nil : try place.text(of: type, from: source, at: key) }
        let nested = DecodingPlace(place, source, key)
        do {
            return try nested.decode(type)
        } catch {
            if isFlag, nested.wasFoundEmpty { return nil }
            throw error
        }
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<NestedKey> {
        nested(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try nested(key).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder { nested(SuperKey.super) }

    func superDecoder(forKey key: Key) throws -> any Decoder { nested(key) }
}
