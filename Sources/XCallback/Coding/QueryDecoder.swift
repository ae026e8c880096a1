import XCallbackRouter
public import XCallbackURL
import XCallbackWire

/// Decodes values from the items of a query, in the format of ``QueryEncoder``.
///
/// Items that the value does not request are ignored. The decoder accepts more formats than the encoder writes: for a
/// Boolean, `done` alone, `yes` and `1` are true; a list may be `tags=a,b`, in which an encoded comma is data, or
/// `tags.0=a&tags.1=b`.
public struct QueryDecoder: Sendable {
    /// The format of values.
    let style: QueryStyle
    /// Whether raw commas separate the elements of a list, as in `tags=a,b`.
    ///
    /// They do in a URL. Items from other sources, such as those of a response, are not percent-encoded.
    let splitsAtCommas: Bool

    /// Creates a decoder.
    public init(style: QueryStyle = .standard, splitsAtCommas: Bool = true) {
        self.style = style
        self.splitsAtCommas = splitsAtCommas
    }

    /// Decodes a value.
    ///
    /// - Parameters:
    ///   - type: The type of the value.
    ///   - items: The items, in any order.
    ///   - name: The name of the item for a single value without a name of its own.
    /// - Returns: The value.
    /// - Throws: `DecodingError` with the coding path of the missing or invalid value; its underlying error is a
    ///   ``CallbackError`` with code 422, which a client may see. Also the errors of the value.
    public func decode<Value: Decodable>(
        _ type: Value.Type, from items: QueryItems, named name: String = "value"
    ) throws -> Value {
        try decode(type, from: items, named: name, of: nil)
    }

    /// Decodes a value; the request itself can be a part of it.
    func decode<Value: Decodable>(
        _ type: Value.Type, from items: QueryItems, named name: String, of request: Request?
    ) throws -> Value {
        try DecodingPlace(DecodingPlace.Input(items, self, topName: name, request)).decode(type)
    }
}

/// The items with one name, and below it those whose names continue after a full stop.
private final class QueryNode {
    /// The decoded values; nil for a name alone.
    var values: [String?] = []
    /// The position of each value in the query.
    var indices: [Int] = []
    var children: [String: QueryNode] = [:]
    /// The keys of the children, in the order of their first occurrence.
    var keys: [String] = []

    init(_ values: [String?] = []) {
        self.values = values
    }

    var isEmpty: Bool { values.isEmpty && keys.isEmpty }
    /// Whether it is a name alone.
    var isFlag: Bool { values.count == 1 && values[0] == nil && keys.isEmpty }

    /// Returns the child with a key, which is created if necessary.
    func makeChild(_ key: String) -> QueryNode {
        if let child = children[key] { return child }
        let child = QueryNode()
        children[key] = child
        keys.append(key)
        return child
    }

    /// Returns the child with a key; empty if there is none.
    func child(_ key: String) -> QueryNode {
        if let child = children[key] { return child }
        // Other programs do not escape keys: their `a.b` may be a single key that contains a full stop.
        var node = self
        for piece in key.split(separator: ".", omittingEmptySubsequences: false) {
            guard let child = node.children[String(piece)] else { return QueryNode() }
            node = child
        }
        return node
    }
}

/// The source of a value.
struct DecodingPlace {
    /// What is decoded.
    fileprivate final class Input {
        let items: QueryItems
        let decoder: QueryDecoder
        let topName: String
        /// The request from which the items are; nil for others.
        let request: Request?
        let root = QueryNode()

        init(_ items: QueryItems, _ decoder: QueryDecoder, topName: String, _ request: Request?) {
            self.items = items
            self.decoder = decoder
            self.topName = topName
            self.request = request
            for (index, item) in items.enumerated() {
                let keys = QueryName.keys(of: item.name)
                // Deeper levels are never decoded.
                guard keys.count <= QueryStyle.depthLimit + 1 else { continue }
                let node = keys.reduce(root) { $0.makeChild($1) }
                node.values.append(item.value)
                node.indices.append(index)
            }
        }
    }

    private let input: Input
    /// The texts of the value.
    private let node: QueryNode
    /// The members of the value.
    private let members: QueryNode
    let codingPath: [any CodingKey]
    /// Whether the style converts the names of its members.
    private var convertsKeys = true

    fileprivate init(_ input: Input) {
        self.input = input
        node = input.root.child(input.topName)
        members = input.root
        codingPath = []
    }

    private init(_ parent: DecodingPlace, _ node: QueryNode, _ key: any CodingKey) {
        input = parent.input
        self.node = node
        members = node
        codingPath = parent.codingPath + [key]
    }

    private var style: QueryStyle { input.decoder.style }
    /// The request from which the value is decoded.
    var request: Request? { input.request }

    /// Decodes the value.
    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        guard codingPath.count <= QueryStyle.depthLimit else {
            throw fault("must not have more than \(QueryStyle.depthLimit) levels")
        }
        if let textType = type as? any TextValue.Type, let value = try read(textType) as? Value { return value }
        var place = self
        place.convertsKeys = !(type is any StringKeyed.Type)
        do {
            return try type.init(from: place)
        } catch let error as DecodingError where error.context?.underlyingError == nil {
            // The error of the type itself, which does not know the name of the item.
            throw place.fault(of: type, error.context)
        }
    }

    private func read<Value: TextValue>(_ type: Value.Type) throws -> Value {
        if node.isFlag, let value = true as? Value { return value }
        guard node.values.count <= 1 else { throw fault("is given more than once") }
        guard let text = node.values.first ?? nil else {
            throw DecodingError.valueNotFound(type, context("is missing"))
        }
        guard let value = Value(queryText: text, style) else { throw fault("must be \(type.expectation(style))") }
        return value
    }

    fileprivate func fault(_ text: String) -> DecodingError { .dataCorrupted(context(text)) }

    private func context(_ text: String) -> DecodingError.Context {
        DecodingError.Context(
            codingPath: codingPath, debugDescription: text,
            underlyingError: CallbackError(.badParameter, "Parameter '\(name(of: codingPath))' \(text)."))
    }

    private func name(of path: [any CodingKey]) -> String {
        let names = path.map { style.keys.name(of: $0.stringValue) }
        let isOfTop = path.isEmpty || path[0] is ElementKey
        return ((isOfTop ? [input.topName] : []) + names).joined(separator: ".")
    }

    /// Names the parameter in the error of a type itself.
    private func fault(of type: Any.Type, _ own: DecodingError.Context?) -> DecodingError {
        let texts = (type as? any CaseIterable.Type).flatMap { rawTexts(of: $0, style) } ?? []
        if !texts.isEmpty { return fault("must be one of \(texts.joined(separator: ", "))") }
        // The standard library's text for a raw value repeats the value.
        guard let own, !own.debugDescription.isEmpty, !(type is any RawRepresentable.Type) else {
            return fault("is not what this action expects")
        }
        // Another decoder, for example of JSON in a text, has paths of its own.
        let isBelow = own.codingPath.map(\.stringValue).starts(with: codingPath.map(\.stringValue))
        let path = isBelow ? own.codingPath : codingPath
        let subject = path.isEmpty && node.isEmpty ? "The parameters are" : "Parameter '\(name(of: path))' is"
        let reason = own.debugDescription.hasSuffix(".") ? own.debugDescription.dropLast() : own.debugDescription[...]
        return .dataCorrupted(
            DecodingError.Context(
                codingPath: path, debugDescription: own.debugDescription,
                underlyingError: CallbackError(.badParameter, "\(subject) invalid: \(reason).")))
    }
}

extension DecodingPlace: Decoder, SingleValueDecodingContainer {
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(MemberReader<Key>(place: self))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        ElementReader(place: self, elements: try elements())
    }
    func singleValueContainer() -> any SingleValueDecodingContainer { self }

    func decodeNil() -> Bool {
        guard codingPath.isEmpty else { return node.isEmpty || node.isFlag }
        // The members of the outermost value are other items.
        return input.items.isEmpty || input.items.count == 1 && node.isFlag
    }
}

extension DecodingPlace {
    fileprivate func member(_ key: some CodingKey) -> DecodingPlace {
        let name = convertsKeys ? style.keys.name(of: key.stringValue) : key.stringValue
        return DecodingPlace(self, members.child(name), key)
    }

    fileprivate func has(_ key: some CodingKey) -> Bool { !member(key).node.isEmpty }

    /// Returns the keys of the members.
    fileprivate func keys<Key: CodingKey>(as type: Key.Type) -> [Key] {
        members.keys.compactMap { name in
            guard convertsKeys else { return Key(stringValue: name) }
            return style.keys.candidates(for: name).lazy.compactMap { Key(stringValue: $0) }
                .first { style.keys.name(of: $0.stringValue) == name }
        }
    }

    /// Decodes a value that can be missing: a name alone is true, an empty list or value, or otherwise nil.
    fileprivate func decodeIfPresent<Value: Decodable>(_ type: Value.Type) throws -> Value? {
        if node.isEmpty { return nil }
        return node.isFlag ? try? decode(type) : try decode(type)
    }

    /// Returns the elements of a list: the items with its name, then the numbered ones.
    private func elements() throws -> [DecodingPlace] {
        guard !node.isEmpty else { throw fault("is missing") }
        var nodes: [QueryNode] = []
        for (position, value) in node.values.enumerated() {
            guard let value else { continue }
            let isList = input.decoder.splitsAtCommas && position < node.indices.count && value.utf8.contains(44)
            nodes += isList ? try split(at: node.indices[position]) : [QueryNode([value])]
        }
        let numbers = node.keys.compactMap { key in UInt32(key).map { (number: $0, key: key) } }
        nodes += numbers.sorted { $0.number < $1.number }.compactMap { node.children[$0.key] }
        return nodes.enumerated().map { DecodingPlace(self, $1, ElementKey($0)) }
    }

    /// Splits an item: raw commas are separators, and encoded commas are data.
    private func split(at index: Int) throws -> [QueryNode] {
        try input.items.elements(of: index).map { element in
            guard let element else { throw fault("is cut within a character") }
            return QueryNode([String(decoding: element, as: UTF8.self)])
        }
    }
}

/// Decodes values under keys.
private struct MemberReader<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let place: DecodingPlace
    var codingPath: [any CodingKey] { place.codingPath }
    var allKeys: [Key] { place.keys(as: Key.self) }

    func contains(_ key: Key) -> Bool { place.has(key) }
    func decodeNil(forKey key: Key) -> Bool { place.member(key).decodeNil() }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        try place.member(key).decode(type)
    }

    func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
        try place.member(key).decodeIfPresent(type)
    }

    /// Decodes a Boolean, for which a default implementation would be chosen, which takes a name alone for nil.
    func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? {
        try place.member(key).decodeIfPresent(type)
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedDecodingContainer<Nested> {
        place.member(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try place.member(key).unkeyedContainer()
    }

    func superDecoder() -> any Decoder { place.member(SuperKey.super) }
    func superDecoder(forKey key: Key) -> any Decoder { place.member(key) }
}

/// Decodes the elements of a list.
private struct ElementReader: UnkeyedDecodingContainer {
    let place: DecodingPlace
    let elements: [DecodingPlace]
    private(set) var currentIndex = 0

    var codingPath: [any CodingKey] { place.codingPath }
    var count: Int? { elements.count }
    var isAtEnd: Bool { currentIndex >= elements.count }

    private func current() throws -> DecodingPlace {
        guard !isAtEnd else { throw place.fault("has only \(elements.count) values") }
        return elements[currentIndex]
    }

    private mutating func next<Value>(_ read: (DecodingPlace) throws -> Value) throws -> Value {
        let value = try read(current())
        currentIndex += 1
        return value
    }

    mutating func decodeNil() throws -> Bool {
        guard try current().decodeNil() else { return false }
        currentIndex += 1
        return true
    }

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try next { try $0.decode(type) } }

    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type
    ) throws -> KeyedDecodingContainer<Nested> {
        try next { $0.container(keyedBy: type) }
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try next { try $0.unkeyedContainer() }
    }

    mutating func superDecoder() throws -> any Decoder { try next { $0 } }
}
