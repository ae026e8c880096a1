extension DecodingPlace: SingleValueDecodingContainer {
    func decodeNil() -> Bool {
        guard isTop else { return isNil(source) }
        // A value made of named items can also be nil, as a name alone.
        return isFlag(source) && tree.itemCount == 1 || tree.itemCount == 0
    }

    /// Decodes a number, a Boolean or a string, each of which has a protocol requirement of its own.
    func decode<Value: Decodable & TextValue>(_ type: Value.Type) throws -> Value {
        try read(type, from: source)
    }
}
