/// Encodes the elements of a list.
///
/// As long as all elements are texts, each is an item with the name of the list. After the first other element, all are
/// numbered.
struct ListQueryWriter {
    private let state: State

    /// State that copies of a container share.
    private final class State {
        let place: EncodingPlace
        let list: Int
        let firstEntry: Int
        var count = 0
        var isNumbered = false

        init(_ place: EncodingPlace) {
            self.place = place
            list = place.writer.makeList()
            firstEntry = place.writer.count
        }
    }

    init(_ place: EncodingPlace) {
        state = State(place)
    }

    private var key: ElementKey { ElementKey(intValue: state.count) }

    private func put(_ text: String?) throws {
        guard let text else { throw state.place.noText(Double.nan, at: key) }
        if state.isNumbered {
            try state.place.write(text, at: "\(state.count)", key)
        } else {
            try state.place.write(text, list: state.list)
        }
        state.count += 1
    }

    private func number() {
        if state.isNumbered { return }
        state.isNumbered = true
        state.place.writer.numberElements(of: state.list, from: state.firstEntry, named: state.place.name)
    }

    /// Returns the place of the next element, if it is not a single text.
    private func next() -> (piece: String, key: ElementKey) {
        number()
        defer { state.count += 1 }
        return ("\(state.count)", key)
    }
}

extension ListQueryWriter: UnkeyedEncodingContainer {
    var codingPath: [any CodingKey] { state.place.codingPath }
    var count: Int { state.count }

    mutating func encodeNil() throws {
        let (piece, key) = next()
        try state.place.write(nil, at: piece, key)
    }

    /// Encodes a number, a Boolean or a string, each of which has a protocol requirement of its own.
    mutating func encode<Value: Encodable & TextValue>(_ value: Value) throws { try put(value.queryText) }

    mutating func encode<Value: Encodable>(_ value: Value) throws {
        if let text = try state.place.text(of: value, at: key) { return try put(text) }
        let element = try state.place.place(of: "\(state.count)", key)
        let start = state.place.writer.count
        try element.encode(value)
        if element.isText, state.place.writer.count == start + 1, !state.isNumbered {
            state.place.writer.makeLastItemElement(of: state.list, named: state.place.name)
        } else {
            number()
        }
        state.count += 1
    }

    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type
    ) -> KeyedEncodingContainer<NestedKey> {
        let (piece, key) = next()
        return state.place.nested(piece, key).container(keyedBy: type)
    }

    mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        let (piece, key) = next()
        return state.place.nested(piece, key).unkeyedContainer()
    }

    mutating func superEncoder() -> any Encoder {
        let (piece, key) = next()
        return state.place.nested(piece, key)
    }
}

/// The key of a list element.
struct ElementKey: CodingKey {
    private let index: Int

    init(intValue: Int) {
        index = intValue
    }

    init?(stringValue: String) {
        guard let index = Int(stringValue) else { return nil }
        self.index = index
    }

    var intValue: Int? { index }
    var stringValue: String { "\(index)" }
}
