public import XCallbackURL

/// Encodes values as the items of a query.
///
/// | value | items |
/// |---|---|
/// | text, numbers, Booleans | `title=Hi`, `count=3`, `done=true` |
/// | date, bytes, URL, UUID, decimal number | by ``QueryStyle``; `URL`, `UUID` and `Decimal` as their descriptions |
/// | nil | nothing; `k` if it needs a place, for example among the values of a dictionary |
/// | nested values, dictionaries | `note.title=Hi` |
/// | list, set | `tags=a&tags=b` |
/// | list of values that are not a single text | `notes.0.title=Hi&notes.1.title=Ho` |
/// | nested empty list, value or dictionary | `tags` |
/// | case of an enumeration | its raw value, or `shape.circle.radius=1` with its associated values |
/// | a text or a list on its own | `value=Hi` |
///
/// A full stop or a backslash in a key is escaped with a backslash. ``QueryDecoder`` decodes the items as an equal value.
public struct QueryEncoder: Sendable {
    /// The format of values.
    let style: QueryStyle

    /// Creates an encoder.
    public init(style: QueryStyle = .standard) {
        self.style = style
    }

    /// Encodes a value.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - name: The name of the item for a single value without a name of its own.
    /// - Returns: The items, in the order in which the value writes them.
    /// - Throws: `EncodingError` with the coding path of the value that cannot be encoded: a number that is not finite,
    ///   a date after year 9999, a URL without a scheme, a name that starts with `x-` or is written twice, an empty
    ///   list that could also mean nil, or a value of more than 64 levels. Also the errors
    ///   of the value.
    public func encode<Value: Encodable>(_ value: Value, named name: String = "value") throws -> QueryItems {
        let place = EncodingPlace(style, [])
        try place.encode(value)
        var writer = ItemWriter()
        try writer.write(place, QueryName.escaped(name), isTop: true)
        return writer.items
    }
}

/// A value while it is being encoded.
private final class EncodingPlace {
    enum Content {
        case nothing
        case text(String)
        case members([(name: String, value: EncodingPlace)])
        case elements([EncodingPlace])
    }

    let style: QueryStyle
    let codingPath: [any CodingKey]
    var content = Content.nothing
    /// Whether the style converts the names of its members.
    var convertsKeys = true

    init(_ style: QueryStyle, _ path: [any CodingKey]) {
        self.style = style
        codingPath = path
    }

    /// The text; nil for another content.
    var text: String? {
        if case .text(let text) = content { text } else { nil }
    }

    /// Whether it is a list or another value with nothing in it.
    private var isEmpty: Bool {
        switch content {
        case .members(let members): members.isEmpty
        case .elements(let elements): elements.isEmpty
        case .nothing, .text: false
        }
    }

    /// Adds a member.
    func member(_ key: some CodingKey) -> EncodingPlace {
        let name = convertsKeys ? style.keys.name(of: key.stringValue) : key.stringValue
        let value = EncodingPlace(style, codingPath + [key])
        guard case .members(var members) = content else { return value }
        content = .nothing
        members.append((QueryName.escaped(name), value))
        content = .members(members)
        return value
    }

    /// Adds an element of a list.
    func element() -> EncodingPlace {
        guard case .elements(var elements) = content else { return EncodingPlace(style, codingPath) }
        content = .nothing
        let value = EncodingPlace(style, codingPath + [ElementKey(elements.count)])
        elements.append(value)
        content = .elements(elements)
        return value
    }

    func encode<Value: Encodable>(_ value: Value) throws {
        guard codingPath.count <= QueryStyle.depthLimit else {
            throw error("more than \(QueryStyle.depthLimit) levels of values in values", value)
        }
        if let textValue = value as? any TextValue {
            guard let text = textValue.queryText(style) else {
                throw error("a \(Value.self) that has no form in a query", value)
            }
            content = .text(text)
            return
        }
        convertsKeys = !(value is any StringKeyed)
        try value.encode(to: self)
        if Value.self is any Absentable.Type, isEmpty {
            throw error("an empty list or value cannot be distinguished from nil here", value)
        }
    }

    func error(_ text: String, _ value: Any = ()) -> EncodingError {
        .invalidValue(value, EncodingError.Context(codingPath: codingPath, debugDescription: text))
    }
}

extension EncodingPlace: Encoder, SingleValueEncodingContainer {
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        if case .members = content {} else { content = .members([]) }
        return KeyedEncodingContainer(MemberWriter<Key>(place: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        if case .elements = content {} else { content = .elements([]) }
        return ElementWriter(place: self)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { self }

    func encodeNil() { content = .nothing }
}

/// Encodes values under keys.
private struct MemberWriter<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let place: EncodingPlace
    var codingPath: [any CodingKey] { place.codingPath }

    func encodeNil(forKey key: Key) { _ = place.member(key) }

    func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws { try place.member(key).encode(value) }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> {
        place.member(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        place.member(key).unkeyedContainer()
    }

    func superEncoder() -> any Encoder { place.member(SuperKey.super) }
    func superEncoder(forKey key: Key) -> any Encoder { place.member(key) }
}

/// Encodes the elements of a list.
private struct ElementWriter: UnkeyedEncodingContainer {
    let place: EncodingPlace
    var codingPath: [any CodingKey] { place.codingPath }

    var count: Int {
        if case .elements(let elements) = place.content { elements.count } else { 0 }
    }

    func encodeNil() { _ = place.element() }

    func encode<Value: Encodable>(_ value: Value) throws { try place.element().encode(value) }

    func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
        place.element().container(keyedBy: type)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { place.element().unkeyedContainer() }
    func superEncoder() -> any Encoder { place.element() }
}

/// Writes encoded values as items.
private struct ItemWriter {
    var items = QueryItems()
    private var names: Set<String> = []

    mutating func write(_ place: EncodingPlace, _ name: String, isTop: Bool = false) throws {
        switch place.content {
        case .nothing: try append([nil], name, of: place)
        case .text(let text): try append([text], name, of: place)
        case .members(let members):
            if members.isEmpty, !isTop { try append([nil], name, of: place) }
            for member in members { try write(member.value, isTop ? member.name : "\(name).\(member.name)") }
        case .elements(let elements):
            let texts = elements.compactMap(\.text)
            if texts.count == elements.count { return try append(texts.isEmpty ? [nil] : texts, name, of: place) }
            for (index, element) in elements.enumerated() { try write(element, "\(name).\(index)") }
        }
    }

    private mutating func append(_ values: [String?], _ name: String, of place: EncodingPlace) throws {
        let isReserved = name.lowercased().hasPrefix("x-") || name.isEmpty && values.contains(nil)
        if isReserved {
            throw place.error(
                "a name that begins with 'x-' belongs to the protocol, and an item without value needs a name")
        }
        guard names.insert(name).inserted else { throw place.error("'\(name)' is written twice") }
        for value in values {
            // A comma in a value is not a list separator.
            let texts = Array("\(name)\(value ?? "")".utf8)
            let end = name.utf8.count
            items.append(name: 0..<end, value: value == nil ? nil : end..<texts.count, of: texts.span)
        }
    }
}

/// The key of the values that a class inherits from its superclass.
enum SuperKey: CodingKey {
    case `super`
}

/// The key of a list element.
struct ElementKey: CodingKey {
    let index: Int

    init(_ index: Int) { self.index = index }
    init?(intValue: Int) { index = intValue }
    init?(stringValue: String) { nil }

    var intValue: Int? { index }
    var stringValue: String { "\(index)" }
}

/// A dictionary whose keys are item names.
protocol StringKeyed {}
extension Dictionary: StringKeyed {}

/// A value that can be nil.
private protocol Absentable {}
extension Optional: Absentable {}
