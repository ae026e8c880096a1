import FoundationEssentials
import XCallbackURL

/// The parameters that a type decodes from a query, as far as the type reveals them: it decodes sample values.
struct InputSketch {
    /// A parameter, as a configuration declares it.
    struct Parameter {
        let name: String
        /// The settings of its declaration, `type` first; the values are in YAML syntax.
        var settings: [(name: String, value: String)]
        let isRequired: Bool
    }

    /// The parameters that can be declared, in the order in which they are decoded.
    fileprivate(set) var parameters: [Parameter] = []
    /// The names of values for which a declaration has no type, because they contain other values.
    fileprivate(set) var undeclared: [String] = []
    /// Whether the type has decoded all its values; false if it rejects a sample value.
    private(set) var isWhole = true

    /// Examines a type.
    init(of type: any Decodable.Type, _ style: QueryStyle) {
        let place = SketchPlace(style, reading: [ObjectIdentifier(type)])
        var settings: [(name: String, value: String)]?
        do {
            settings = try place.settings(of: type)
        } catch {
            isWhole = false
        }
        parameters = place.parameters
        undeclared = place.undeclared
        if let settings { parameters = [Parameter(name: inputName, settings: settings, isRequired: true)] }
    }
}

/// The source of a sample value.
private final class SketchPlace: Decoder {
    /// A value contains one of its own type, so that decoding would never end.
    struct Recursion: Error {}

    let style: QueryStyle
    /// The types that are being decoded, outermost first.
    private let types: Set<ObjectIdentifier>
    var parameters: [InputSketch.Parameter] = []
    var undeclared: [String] = []
    /// The keys whose presence was checked.
    var optionalKeys: Set<String> = []
    /// The declaration of the value, if it is a text or a list of texts; nil if it contains other values.
    var settings: [(name: String, value: String)]?

    let codingPath: [any CodingKey] = []
    let userInfo: [CodingUserInfoKey: Any] = [:]

    init(_ style: QueryStyle, reading types: Set<ObjectIdentifier>) {
        self.style = style
        self.types = types
    }

    /// Returns the place of a nested value.
    func nested() -> SketchPlace { SketchPlace(style, reading: types) }

    /// Returns the declaration of a type that is a single text or a list; nil for a type that contains other values,
    /// which are recorded.
    func settings<Value: Decodable>(of type: Value.Type) throws -> [(name: String, value: String)]? {
        if let (_, settings) = simpleSample(of: type) ?? caseSample(of: type) { return settings }
        _ = try type.init(from: self)
        return settings
    }

    /// Returns a sample value of a type, and its declaration.
    func sample<Value: Decodable>(
        of type: Value.Type
    ) throws -> (value: Value, settings: [(name: String, value: String)]?) {
        if let (value, settings) = simpleSample(of: type) { return (value, settings) }
        if let (value, settings) = caseSample(of: type) { return (value, settings) }
        let id = ObjectIdentifier(type)
        if types.contains(id) { throw Recursion() }
        let place = SketchPlace(style, reading: types.union([id]))
        let value = try type.init(from: place)
        return (value, place.settings)
    }

    private func simpleSample<Value>(of type: Value.Type) -> (Value, [(name: String, value: String)])? {
        func made(_ value: Any, _ word: String, _ more: [(name: String, value: String)] = []) -> (
            Value, [(name: String, value: String)]
        )? {
            (value as? Value).map { ($0, [("type", word)] + more) }
        }
        let isNumber = style.dates != .iso8601
        return switch type {
        case is String.Type: made("", "string")
        case is Bool.Type: made(false, "bool")
        case is Double.Type: made(0 as Double, "number")
        case is Float.Type: made(0 as Float, "number")
        case is Decimal.Type: made(0 as Decimal, "number")
        case is Date.Type: made(Date(timeIntervalSince1970: 0), isNumber ? "number" : "date")
        case is Data.Type: made(Data(), "data")
        case is UUID.Type: made(UUID(), "uuid")
        case is URL.Type: URL(string: "a:b").flatMap { made($0, "url") }
        case let integer as any FixedWidthInteger.Type: integer.sample().flatMap { made($0.value, $0.word, $0.bounds) }
        default: nil
        }
    }

    /// Returns the first case of a `CaseIterable` enumeration.
    private func caseSample<Value>(of type: Value.Type) -> (Value, [(name: String, value: String)])? {
        guard let cases = (type as? any CaseIterable.Type)?.everyCase, let first = cases.first as? Value else {
            return nil
        }
        let values = cases.compactMap { ($0 as? any RawRepresentable)?.rawValue as? String }
        guard values.count == cases.count else {
            let isInteger = (first as? any RawRepresentable)?.rawValue is any FixedWidthInteger
            return isInteger ? (first, [("type", "int")]) : nil
        }
        return (first, [("type", "enum"), ("values", "[\(values.map(\.yaml).joined(separator: ", "))]")])
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(SketchReader<Key>(place: self))
    }

    func unkeyedContainer() -> any UnkeyedDecodingContainer { ListSketchReader(place: self) }
    func singleValueContainer() -> any SingleValueDecodingContainer { TextSketchReader(place: self) }

    /// Records a value that is decoded under a key.
    func read<Value: Decodable>(_ type: Value.Type, _ key: some CodingKey, isRequired: Bool) throws -> Value {
        let name = style.keys.name(of: key.stringValue)
        let (value, settings) = try sample(of: type)
        if let settings {
            parameters.append(.init(name: name, settings: settings, isRequired: isRequired))
        } else {
            undeclared.append(name)
        }
        return value
    }
}

extension FixedWidthInteger {
    /// Returns a sample value and the declaration of such numbers; numbers that exceed 64 bits are texts.
    fileprivate static func sample() -> (value: Any, word: String, bounds: [(name: String, value: String)])? {
        guard bitWidth <= 64, Int64(exactly: max) != nil || Self.self == UInt.self || Self.self == UInt64.self else {
            return (Self.zero, "string", [])
        }
        var bounds: [(name: String, value: String)] = []
        if Int64(exactly: min) != .min { bounds.append(("min", "\(min)")) }
        if let max = Int64(exactly: max), max != .max { bounds.append(("max", "\(max)")) }
        return (Self.zero, "int", bounds)
    }
}

extension CaseIterable {
    fileprivate static var everyCase: [Any] { Array(allCases) }
}

private struct SketchReader<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let place: SketchPlace
    let codingPath: [any CodingKey] = []
    let allKeys: [Key] = []

    /// A type that checks for a key can do without it, like the requirements for numbers, Booleans and strings.
    func contains(_ key: Key) -> Bool {
        place.optionalKeys.insert(key.stringValue)
        return true
    }

    func decodeNil(forKey key: Key) -> Bool {
        place.optionalKeys.insert(key.stringValue)
        return false
    }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        try place.read(type, key, isRequired: !place.optionalKeys.contains(key.stringValue))
    }

    /// Values that cannot be decoded are omitted.
    func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) -> Value? {
        if let value = try? place.read(type, key, isRequired: false) { return value }
        place.undeclared.append(place.style.keys.name(of: key.stringValue))
        return nil
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedDecodingContainer<Nested> {
        place.undeclared.append(place.style.keys.name(of: key.stringValue))
        return place.nested().container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedDecodingContainer {
        place.undeclared.append(place.style.keys.name(of: key.stringValue))
        return place.nested().unkeyedContainer()
    }

    func superDecoder() -> any Decoder { place.nested() }
    func superDecoder(forKey key: Key) -> any Decoder { place.nested() }
}

/// A list with a single element.
private struct ListSketchReader: UnkeyedDecodingContainer {
    let place: SketchPlace
    let codingPath: [any CodingKey] = []
    let count: Int? = 1
    var currentIndex = 0
    var isAtEnd: Bool { currentIndex > 0 }

    mutating func decodeNil() -> Bool { false }

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        currentIndex += 1
        let (value, settings) = try place.sample(of: type)
        if let settings, let word = settings.first?.value, word != "list" {
            // For an enumeration its values, for a number its bounds.
            place.settings = [("type", "list"), ("of", word)] + settings.dropFirst()
        }
        return value
    }

    mutating func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedDecodingContainer<Nested> {
        currentIndex += 1
        return place.nested().container(keyedBy: type)
    }

    mutating func nestedUnkeyedContainer() -> any UnkeyedDecodingContainer {
        currentIndex += 1
        return place.nested().unkeyedContainer()
    }

    mutating func superDecoder() -> any Decoder {
        currentIndex += 1
        return place.nested()
    }
}

/// A nested value.
private struct TextSketchReader: SingleValueDecodingContainer {
    let place: SketchPlace
    let codingPath: [any CodingKey] = []

    func decodeNil() -> Bool { false }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        let (value, settings) = try place.sample(of: type)
        place.settings = settings
        return value
    }
}
