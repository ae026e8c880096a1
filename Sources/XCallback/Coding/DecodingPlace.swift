import XCallbackURL

/// Where a value is read from, and the keys on the way to it.
final class DecodingPlace: NestedPlace {
    /// What there is to be read.
    enum Source {
        /// All that has a name, or begins with it.
        case node(Int)
        /// An item that is one of several with its name.
        case item(Int)
        /// A text of its own.
        case text([UInt8])
        /// Nothing.
        case absent
    }

    let tree: QueryTree
    let style: QueryStyle
    let source: Source
    /// Whether what it holds has no name before its keys.
    let isTop: Bool
    private let topName: String
    let parent: DecodingPlace?
    let key: (any CodingKey)?
    private let depth: Int
    /// How many values are being read here, each the only one in the one before it.
    private var turns = 0
    /// Whether the names of properties are written as the style says.
    private var convertsKeys = true
    /// Whether one text was asked for where there is none.
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

    /// Creates the place of a value in another one.
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

    /// The node whose children have the keys of the value; nil if there can be none.
    var keyedNode: Int? {
        if isTop { return QueryTree.root }
        return if case .node(let node) = source { node } else { nil }
    }

    /// What there is under a key.
    func source(of key: some CodingKey) -> Source {
        guard let node = keyedNode, let child = tree.child(of: node, name(of: key)) else { return .absent }
        return .node(child)
    }

    /// The key that a node stands for, nil if the value has none such.
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
    /// Reads a whole value here.
    ///
    /// - Throws: `DecodingError` if it is too deep; and what the value throws.
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

    /// Reads a value that is one text.
    func read<Value: TextValue>(
        _ type: Value.Type, from source: Source, at key: @autoclosure () -> (any CodingKey)? = nil
    ) throws -> Value {
        if type == Bool.self, isFlag(source), let value = true as? Value { return value }
        let value = try withText(of: source, at: key()) { Value(queryText: $0) }
        guard let value else { throw fault("must be \(type.expectation)", at: key()) }
        return value
    }

    /// Calls a function with the one text of a value.
    ///
    /// - Throws: `DecodingError` if there is none, or more than one.
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

    /// Whether there is a name and nothing else.
    func isFlag(_ source: Source) -> Bool {
        switch source {
        case .node(let node):
            guard let index = tree.onlyItem(of: node), !tree.hasChildren(node) else { return false }
            return !tree.entries[index].hasValue
        case .item(let index): return !tree.entries[index].hasValue
        case .text, .absent: return false
        }
    }

    /// Whether a value that may be nil is.
    func isNil(_ source: Source) -> Bool {
        if case .absent = source { true } else { isFlag(source) }
    }

    /// An error of something that is missing.
    private func absence(at key: @autoclosure () -> (any CodingKey)?) -> DecodingError {
        let key = key()
        if key == nil { wasFoundEmpty = true }
        let context = context("is missing", at: key)
        return key.map { .keyNotFound($0, context) } ?? .valueNotFound(String.self, context)
    }

    /// An error of something that is not what it has to be.
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
