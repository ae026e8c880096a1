import XCallbackURL

/// The source of a value, and its coding path.
final class DecodingPlace: NestedPlace {
    /// The data to decode.
    enum Source {
        /// All items with a name, and those whose names start with it.
        case node(Int)
        /// One of several items with the same name.
        case item(Int)
        /// A separate text.
        case text([UInt8])
        /// No data.
        case absent
    }

    let tree: QueryTree
    let style: QueryStyle
    let source: Source
    /// Whether the names of its items start with its keys.
    let isTop: Bool
    private let topName: String
    let parent: DecodingPlace?
    let key: (any CodingKey)?
    private let depth: Int
    /// The number of values that are being decoded here, each as the single value of the one before it.
    private var turns = 0
    /// Whether the style converts the names of properties.
    private var convertsKeys = true
    /// Whether a text was requested where there is none.
    private(set) var wasFoundEmpty = false

    init(_ tree: QueryTree, _ style: QueryStyle, topName: String) {
        self.tree = tree
        self.style = style
        self.topName = topName
        source = tree.child(of: QueryTree.root, topName).map { .node($0) } ?? .absent
        isTop = true
        parent = nil
        key = nil
        depth = 0
    }

    /// Creates the place of a value within another value.
    init(_ parent: DecodingPlace, _ source: Source, _ key: any CodingKey) {
        tree = parent.tree
        style = parent.style
        topName = parent.topName
        self.source = source
        isTop = false
        self.parent = parent
        self.key = key
        depth = parent.depth + 1
    }

    /// The node whose children are the keys of the value; nil if there can be none.
    var keyedNode: Int? {
        if isTop { return QueryTree.root }
        return if case .node(let node) = source { node } else { nil }
    }

    /// Returns the data under a key.
    func source(of key: some CodingKey) -> Source {
        guard let node = keyedNode, let child = tree.child(of: node, name(of: key)) else { return .absent }
        return .node(child)
    }

    /// Returns the key of a node; nil if the value has no such key.
    func key<Key: CodingKey>(of node: Int, as type: Key.Type) -> Key? {
        let name = tree.key(of: node)
        if !convertsKeys { return Key(stringValue: name) }
        for candidate in style.keys.candidates(for: name) {
            if let key = Key(stringValue: candidate), self.name(of: key) == name { return key }
        }
        return nil
    }

    private func name(of key: some CodingKey) -> String {
        convertsKeys ? style.keys.name(of: key.stringValue) : key.stringValue
    }
}

extension DecodingPlace {
    /// Decodes the value of this place.
    ///
    /// - Throws: `DecodingError` if the value is nested too deeply, and the errors of the value.
    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        turns += 1
        defer { turns -= 1 }
        guard depth + turns - 1 <= QueryStyle.depthLimit else {
            throw fault("must not have more than \(QueryStyle.depthLimit) levels")
        }
        if isText(type) { return try text(of: type, from: source, at: nil) }
        if style.keys != .unchanged { convertsKeys = !(type is any StringKeyed.Type) }
        return try type.init(from: self)
    }

    /// Decodes a value that is a single text.
    func read<Value: TextValue>(
        _ type: Value.Type, from source: Source, at key: @autoclosure () -> (any CodingKey)? = nil
    ) throws -> Value {
        if type == Bool.self, isFlag(source), let value = true as? Value { return value }
        let value = try withText(of: source, at: key()) { Value(queryText: $0) }
        guard let value else { throw fault("must be \(type.expectation)", at: key()) }
        return value
    }

    /// Calls a function with the text of a value.
    ///
    /// - Throws: `DecodingError` if there is no text, or more than one.
    func withText<Result>(
        of source: Source, at key: @autoclosure () -> (any CodingKey)?, _ body: (Span<UInt8>) -> Result
    ) throws -> Result {
        let bytes = tree.bytes
        switch source {
        case .text(let text): return body(text.span)
        case .item(let index) where tree.entries[index].hasValue:
            return body(bytes.span.extracting(tree.entries[index].value))
        case .node(let node) where tree.hasItems(node):
            guard let index = tree.onlyItem(of: node) else { throw fault("is given more than once", at: key()) }
            guard tree.entries[index].hasValue else { throw absence(at: key()) }
            return body(bytes.span.extracting(tree.entries[index].value))
        case .item, .node, .absent: throw absence(at: key())
        }
    }

    /// Whether there is a name alone.
    func isFlag(_ source: Source) -> Bool {
        switch source {
        case .node(let node):
            guard let index = tree.onlyItem(of: node), !tree.hasChildren(node) else { return false }
            return !tree.entries[index].hasValue
        case .item(let index): return !tree.entries[index].hasValue
        case .text, .absent: return false
        }
    }

    /// Whether an optional value is nil.
    func isNil(_ source: Source) -> Bool {
        if case .absent = source { true } else { isFlag(source) }
    }

    /// Creates the error for missing data.
    private func absence(at key: @autoclosure () -> (any CodingKey)?) -> DecodingError {
        let key = key()
        if key == nil { wasFoundEmpty = true }
        let context = context("is missing", at: key)
        return key.map { .keyNotFound($0, context) } ?? .valueNotFound(String.self, context)
    }

    /// Creates the error for invalid data.
    func fault(_ text: String, at key: @autoclosure () -> (any CodingKey)? = nil) -> DecodingError {
        .dataCorrupted(context(text, at: key()))
    }

    private func context(_ text: String, at key: @autoclosure () -> (any CodingKey)?) -> DecodingError.Context {
        let path = codingPath + (key().map { [$0] } ?? [])
        let name = path.isEmpty ? topName : path.map { self.name(of: $0) }.joined(separator: ".")
        return DecodingError.Context(
            codingPath: path, debugDescription: text,
            underlyingError: CallbackError(.badParameter, "Parameter '\(name)' \(text)."))
    }
}

extension DecodingPlace: Decoder {
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(KeyedQueryReader<Key>(place: self))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try ListQueryReader(self)
    }

    func singleValueContainer() -> any SingleValueDecodingContainer { self }
}
