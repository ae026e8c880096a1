import XCallbackURL

/// Where a value is written: its name, and what has been written for it.
final class EncodingPlace: NestedPlace {
    let writer: QueryWriter
    /// The name of the items for the value itself; what it holds has this name, a full stop and a key.
    let name: String
    /// Whether it is the value that is written, whose keys have no name before them unless it is a list.
    private let isTop: Bool
    private var isList = false
    let parent: EncodingPlace?
    let key: (any CodingKey)?
    private let depth: Int
    /// How many values are being written here, each the only one in the one before it.
    private var turns = 0
    /// Whether the names of properties are written as the style says.
    private var convertsKeys = true
    /// The item that says that the value is empty, while it is.
    private(set) var marker: Int?
    /// Whether the value itself is one text.
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

    /// The key as it stands in the name of an item.
    func piece(of key: some CodingKey) -> String {
        let text = key.stringValue
        return NamePath.escaped(convertsKeys ? writer.style.keys.name(of: text) : text)
    }

    /// The place of a value that this one holds.
    ///
    /// - Throws: `EncodingError` if it is too deep.
    func place(of piece: String, _ key: any CodingKey) throws -> EncodingPlace {
        guard depth < QueryStyle.depthLimit else { throw tooDeep(at: key) }
        removeMarker()
        return EncodingPlace(self, hasBareKeys ? piece : "\(name).\(piece)", key)
    }

    /// The place of a value that this one holds, which is empty until something is written into it.
    ///
    /// What is wrong with it is told once the whole value was written.
    func nested(_ piece: String, _ key: any CodingKey) -> EncodingPlace {
        removeMarker()
        let nested = EncodingPlace(self, hasBareKeys ? piece : "\(name).\(piece)", key)
        if depth >= QueryStyle.depthLimit { writer.note(tooDeep(at: key)) }
        nested.markEmpty()
        return nested
    }

    /// Writes the item of a value that this one holds.
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

    /// Writes that the value is empty, until something is written into it.
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

    /// An error at this place, or at a key of it.
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
    /// Writes a whole value here.
    func encode<Value: Encodable>(_ value: Value) throws {
        // A value may also hold another one under no key at all.
        turns += 1
        defer { turns -= 1 }
        guard depth + turns - 1 <= QueryStyle.depthLimit else { throw tooDeep() }
        if let text = try text(of: value) { return try write(text) }
        if writer.style.keys != .unchanged { convertsKeys = !(Value.self is any StringKeyed.Type) }
        let start = writer.count
        try value.encode(to: self)
        // What writes nothing is empty.
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

/// A dictionary whose keys are the names of items.
protocol StringKeyed {}
extension Dictionary: StringKeyed {}

/// A value that may be nil.
protocol Absentable {}
extension Optional: Absentable {}
