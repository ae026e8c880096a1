import XCallbackURL

/// The destination of a value: its name, and the items written for it.
final class EncodingPlace: NestedPlace {
    let writer: QueryWriter
    /// The name of the items for the value itself; for nested values, a full stop and a key follow.
    let name: String
    /// Whether this is the outermost value, whose keys have no prefix unless it is a list.
    private let isTop: Bool
    private var isList = false
    let parent: EncodingPlace?
    let key: (any CodingKey)?
    private let depth: Int
    /// The number of values that are being encoded here, each as the single value of the one before it.
    private var turns = 0
    /// Whether the style converts the names of properties.
    private var convertsKeys = true
    /// The index of the item that marks the value as empty, while it is empty.
    private(set) var marker: Int?
    /// Whether the value itself is a single text.
    private(set) var isText = false

    init(_ writer: QueryWriter, topName: String) {
        self.writer = writer
        name = NamePath.escaped(topName)
        isTop = true
        parent = nil
        key = nil
        depth = 0
    }

    private init(_ parent: EncodingPlace, _ name: String, _ key: any CodingKey) {
        writer = parent.writer
        self.name = name
        isTop = false
        self.parent = parent
        self.key = key
        depth = parent.depth + 1
    }

    private var hasBareKeys: Bool { isTop && !isList }

    /// Returns the key in the form used in item names.
    func piece(of key: some CodingKey) -> String {
        let text = key.stringValue
        return NamePath.escaped(convertsKeys ? writer.style.keys.name(of: text) : text)
    }

    /// Returns the place of a nested value.
    ///
    /// - Throws: `EncodingError` if the value is nested too deeply.
    func place(of piece: String, _ key: any CodingKey) throws -> EncodingPlace {
        guard depth < QueryStyle.depthLimit else { throw tooDeep(at: key) }
        removeMarker()
        return EncodingPlace(self, hasBareKeys ? piece : "\(name).\(piece)", key)
    }

    /// Returns the place of a nested value, which is empty until something is written to it.
    ///
    /// Errors are reported after the complete value is written.
    func nested(_ piece: String, _ key: any CodingKey) -> EncodingPlace {
        removeMarker()
        let nested = EncodingPlace(self, hasBareKeys ? piece : "\(name).\(piece)", key)
        if depth >= QueryStyle.depthLimit { writer.note(tooDeep(at: key)) }
        nested.markEmpty()
        return nested
    }

    /// Writes the item of a nested value.
    func write(_ value: String?, at piece: String, _ key: some CodingKey) throws {
        removeMarker()
        let isAllowed =
            hasBareKeys
            ? writer.append(prefix: piece, key: nil, value: value)
            : writer.append(prefix: name, key: piece, value: value)
        if !isAllowed { throw reservedName(key) }
    }

    /// Writes the item of the value itself.
    func write(_ value: String?, list: Int = 0) throws {
        removeMarker()
        isText = value != nil
        if !writer.append(prefix: name, key: nil, value: value, list: list) { throw reservedName() }
    }

    /// Marks the value as empty until something is written to it.
    func markEmpty() {
        if marker != nil { return }
        marker = writer.count
        if !writer.append(prefix: name, key: nil, value: nil) { writer.note(reservedName()) }
    }

    func removeMarker() {
        guard let index = marker else { return }
        writer.remove(at: index)
        marker = nil
    }

    /// Creates an error at this place or at a key of it.
    func error(_ text: String, _ value: Any = (), at key: (any CodingKey)? = nil) -> EncodingError {
        let path = codingPath + (key.map { [$0] } ?? [])
        return .invalidValue(value, EncodingError.Context(codingPath: path, debugDescription: text))
    }

    private func tooDeep(at key: (any CodingKey)? = nil) -> EncodingError {
        error("more than \(QueryStyle.depthLimit) levels of values in values", at: key)
    }

    private func reservedName(_ key: (any CodingKey)? = nil) -> EncodingError {
        error("a name that begins with 'x-' belongs to the protocol, and an item without value needs a name", at: key)
    }
}

extension EncodingPlace {
    /// Encodes the value of this place.
    func encode<Value: Encodable>(_ value: Value) throws {
        // A value can also wrap another value without a key.
        turns += 1
        defer { turns -= 1 }
        guard depth + turns - 1 <= QueryStyle.depthLimit else { throw tooDeep() }
        if let text = try text(of: value) { return try write(text) }
        if writer.style.keys != .unchanged { convertsKeys = !(Value.self is any StringKeyed.Type) }
        let start = writer.count
        try value.encode(to: self)
        // A value that writes no items is empty.
        if !isTop, writer.count == start { markEmpty() }
        if marker != nil, Value.self is any Absentable.Type {
            throw error("an empty list or value cannot be told from nil here", value)
        }
    }
}

extension EncodingPlace: Encoder {
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(KeyedQueryWriter<Key>(place: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        isList = true
        markEmpty()
        return ListQueryWriter(self)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { self }
}

/// A dictionary whose keys are item names.
protocol StringKeyed {}
extension Dictionary: StringKeyed {}

/// A value that can be nil.
protocol Absentable {}
extension Optional: Absentable {}
