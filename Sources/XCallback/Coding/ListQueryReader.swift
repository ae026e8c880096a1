import XCallbackBytes
import XCallbackURL

/// Decodes the elements of a list.
struct ListQueryReader {
    private let place: DecodingPlace
    private let elements: [DecodingPlace.Source]
    private(set) var currentIndex = 0

    /// Collects the elements: the items with the name of the list, then the numbered ones.
    ///
    /// - Throws: `DecodingError` if there is no list, or if a comma splits a character.
    init(_ place: DecodingPlace) throws {
        self.place = place
        switch place.source {
        case .absent: throw place.fault("is missing")
        case .item, .text: elements = [place.source]
        case .node(let node):
            var elements: [DecodingPlace.Source] = []
            for index in place.tree.itemIndices(of: node) { elements += try Self.elements(of: index, place) }
            elements += Self.numbered(node, in: place.tree)
            self.elements = elements
        }
    }

    /// Returns the elements in an item: raw commas are separators, and encoded commas are data.
    private static func elements(of index: Int, _ place: DecodingPlace) throws -> [DecodingPlace.Source] {
        let entry = place.tree.entries[index]
        guard entry.hasValue else { return [] }
        guard place.tree.splitsAtCommas, place.tree.bytes[entry.encodedValue].contains(UInt8(ascii: ",")) else {
            return [.item(index)]
        }
        return try place.tree.items.elements(of: index).map { element in
            guard let element else { throw place.fault("is cut within a character") }
            return .text(element)
        }
    }

    /// Returns the children of a node whose keys are numbers, in numeric order.
    private static func numbered(_ node: Int, in tree: QueryTree) -> [DecodingPlace.Source] {
        guard tree.hasChildren(node) else { return [] }
        let numbered = tree.children(of: node).compactMap { child -> (number: Int, node: Int)? in
            let key = Array(tree.key(of: child).utf8)
            guard key.count <= 9, let number = TextForms.integer(in: key.span, as: UInt32.self) else { return nil }
            return (Int(number), child)
        }
        return numbered.sorted { ($0.number, $0.node) < ($1.number, $1.node) }.map { .node($0.node) }
    }

    private var key: ElementKey { ElementKey(intValue: currentIndex) }

    /// Returns the source of the next element.
    private func next() throws -> DecodingPlace.Source {
        if currentIndex < elements.count { return elements[currentIndex] }
        throw place.fault("has only \(elements.count) values")
    }

    private mutating func nested() throws -> DecodingPlace {
        let nested = DecodingPlace(place, try next(), key)
        currentIndex += 1
        return nested
    }
}

extension ListQueryReader: UnkeyedDecodingContainer {
    var codingPath: [any CodingKey] { place.codingPath }
    var count: Int? { elements.count }
    var isAtEnd: Bool { currentIndex >= elements.count }

    mutating func decodeNil() throws -> Bool {
        guard place.isNil(try next()) else { return false }
        currentIndex += 1
        return true
    }

    /// Decodes a number, a Boolean or a string, each of which has a protocol requirement of its own.
    mutating func decode<Value: Decodable & TextValue>(_ type: Value.Type) throws -> Value {
        let value = try place.read(type, from: next(), at: key)
        currentIndex += 1
        return value
    }

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        let value = try place.value(of: type, from: next(), at: key)
        currentIndex += 1
        return value
    }

    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type
    ) throws -> KeyedDecodingContainer<NestedKey> {
        try nested().container(keyedBy: type)
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try nested().unkeyedContainer()
    }

    mutating func superDecoder() throws -> any Decoder { try nested() }
}
