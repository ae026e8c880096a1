/// Reads values under keys.
struct KeyedQueryReader<Key: CodingKey> {
    private let place: DecodingPlace

    init(place: DecodingPlace) {
        self.place = place
    }

    private func read<Value: TextValue>(_ type: Value.Type, _ key: Key) throws -> Value {
        try place.read(type, from: place.source(of: key), at: key)
    }

    private func readIfPresent<Value: TextValue>(_ type: Value.Type, _ key: Key) throws -> Value? {
        let source = place.source(of: key)
        return place.isNil(source) ? nil : try place.read(type, from: source, at: key)
    }

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

    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try read(type, key) }
    func decode(_ type: String.Type, forKey key: Key) throws -> String { try read(type, key) }
    func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try read(type, key) }
    func decode(_ type: Float.Type, forKey key: Key) throws -> Float { try read(type, key) }
    func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try read(type, key) }
    func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { try read(type, key) }
    func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { try read(type, key) }
    func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { try read(type, key) }
    func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try read(type, key) }
    func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 { try read(type, key) }
    func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { try read(type, key) }
    func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { try read(type, key) }
    func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 { try read(type, key) }
    func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 { try read(type, key) }
    func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 { try read(type, key) }
    func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 { try read(type, key) }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        try place.value(of: type, from: place.source(of: key), at: key)
    }

    /// A name alone is true.
    func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? {
        let source = place.source(of: key)
        return if case .absent = source { nil } else { try place.read(type, from: source, at: key) }
    }

    func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? { try readIfPresent(type, key) }
    func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? { try readIfPresent(type, key) }
    func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? { try readIfPresent(type, key) }

    /// A name alone is an empty list or value, and nil for one that is a text.
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

    func superDecoder() throws -> any Decoder { nested(SuperKey()) }

    func superDecoder(forKey key: Key) throws -> any Decoder { nested(key) }
}
