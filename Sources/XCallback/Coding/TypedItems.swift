import XCallbackURL
import XCallbackWire

/// The items that types read from a query, or write to one, as a configuration declares them.
///
/// The types are decoded once from made-up values. What has no form in a configuration is left out: lists of values that are not
/// one text, dictionaries, and all that follows a value that the type does not accept.
final class TypedItems {
    /// An item.
    struct Item {
        let name: String
        let rule: ParameterRule
    }

    /// The items, in the order in which they are read.
    private(set) var items: [Item] = []
    /// Whether the types read no others.
    fileprivate(set) var isComplete = true
    fileprivate let style: QueryStyle
    /// The names that may be missing.
    fileprivate var optionalNames: Set<String> = []
    /// The types that are being decoded, outermost first.
    fileprivate var open: [Any.Type] = []

    /// Finds the items of types.
    ///
    /// - Parameters:
    ///   - types: The types; those that are not `Decodable` have unknown items.
    ///   - name: The name of the item for a single value without a name of its own.
    ///   - style: The format of the values.
    init(of types: [Any.Type], named name: String, _ style: QueryStyle) {
        self.style = style
        // A function that takes the request can read everything.
        if types.contains(where: { $0 == Request.self }) { isComplete = false }
        for type in types where type != Request.self {
            do {
                guard let type = type as? any Decodable.Type else { throw Undeclarable() }
                _ = try TypePlace(all: self, name: QueryName.escaped(name), isTop: true).value(of: type)
            } catch {
                isComplete = false
            }
        }
    }

    fileprivate func record(_ rule: ParameterRule, _ name: String) {
        var rule = rule
        rule.isRequired = rule.isRequired && !optionalNames.contains { name == $0 || name.hasPrefix("\($0).") }
        if !items.contains(where: { $0.name == name }) { items.append(Item(name: name, rule: rule)) }
    }

    /// The form of a type whose values are one text or a list of them, and such a value; nil for other types.
    fileprivate func single(_ type: Any.Type) -> (rule: ParameterRule?, sample: Any)? {
        if let type = type as? any TextValue.Type {
            return type.init(queryText: type.rule(style).type.traits.example ?? "", style).map {
                (type.rule(style), $0)
            }
        }
        if let type = type as? any CaseIterable.Type { return firstCase(of: type) }
        guard let wrapper = type as? any SingleWrapper.Type, let inner = single(wrapper.wrappedType),
            !wrapper.isList || !(wrapper.wrappedType is any SingleWrapper.Type)
        else { return nil }
        var rule = inner.rule
        if wrapper.isList { rule?.isList = true } else { rule?.isRequired = false }
        return (rule, wrapper.empty)
    }

    private func firstCase<Value: CaseIterable>(of type: Value.Type) -> (ParameterRule?, Any)? {
        guard let first = type.allCases.first else { return nil }
        let texts = rawTexts(of: type, style)
        return (texts.map { ParameterRule(type: $0.contains("") ? .string : .enumeration($0)) }, first)
    }
}

/// A type has no form in a configuration.
private struct Undeclarable: Error {}

/// The place of a value, which decodes from nothing.
private struct TypePlace: Decoder, SingleValueDecodingContainer {
    let all: TypedItems
    let name: String
    var isTop = false
    /// Whether the style converts the names of its members.
    var convertsKeys = true

    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func value<Value: Decodable>(of type: Value.Type) throws -> Value {
        if let single = all.single(type), let sample = single.sample as? Value {
            if let rule = single.rule { all.record(rule, name) } else { all.isComplete = false }
            return sample
        }
        if type is any StringKeyed.Type { all.isComplete = false }
        // A list of other values is empty; a type in itself has no end.
        if let list = type as? any SingleWrapper.Type, let empty = list.empty as? Value {
            all.isComplete = false
            return empty
        }
        guard !all.open.contains(where: { $0 == type }) else { throw Undeclarable() }
        all.open.append(type)
        defer { all.open.removeLast() }
        var place = self
        place.convertsKeys = !(type is any StringKeyed.Type)
        return try type.init(from: place)
    }

    func member(_ key: some CodingKey) -> TypePlace {
        let own = QueryName.escaped(convertsKeys ? all.style.keys.name(of: key.stringValue) : key.stringValue)
        return TypePlace(all: all, name: isTop ? own : "\(name).\(own)")
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(TypeMembers<Key>(place: self))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw Undeclarable() }
    func singleValueContainer() -> any SingleValueDecodingContainer { self }
    func decodeNil() -> Bool { false }
    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try value(of: type) }
}

/// The members of a value, each with a made-up value.
private struct TypeMembers<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let place: TypePlace
    var codingPath: [any CodingKey] { [] }
    var allKeys: [Key] { [] }

    func contains(_ key: Key) -> Bool { !decodeNil(forKey: key) }

    func decodeNil(forKey key: Key) -> Bool {
        place.all.optionalNames.insert(place.member(key).name)
        return false
    }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        try place.member(key).value(of: type)
    }

    func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
        _ = decodeNil(forKey: key)
        do {
            return try place.member(key).value(of: type)
        } catch {
            place.all.isComplete = false
            return nil
        }
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedDecodingContainer<Nested> {
        place.member(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer { throw Undeclarable() }
    func superDecoder() -> any Decoder { place.member(SuperKey.super) }
    func superDecoder(forKey key: Key) -> any Decoder { place.member(key) }
}
