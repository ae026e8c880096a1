extension DecodingPlace: SingleValueDecodingContainer {
    func decodeNil() -> Bool {
        guard isTop else { return isNil(source) }
        // What is made of named items may be nil too, which one item says.
        return isFlag(source) && tree.itemCount == 1 || tree.itemCount == 0
    }

    /// Reads a number, a Boolean or a string, for each of which the protocol has a function of its own.
    func decode<Value: Decodable & TextValue>(_ type: Value.Type) throws -> Value {
        try read(type, from: source)
    }
}
