package import XCallbackURL
import XCallbackWire

/// The declarations of a route's parameters for JSON: their types, and which of them are lists.
package struct ParameterKinds: Sendable {
    // Keyed by the UTF-8 bytes of the names.
    private let types: [[UInt8]: ParameterType]
    private let lists: Set<[UInt8]>

    /// Creates the declarations.
    ///
    /// - Parameters:
    ///   - types: The declared types by name, each name once; all other parameters are text.
    ///   - lists: The names of the parameters that are lists even with one value; any other is a list only if it repeats.
    package init(types: [(name: String, type: ParameterType)] = [], lists: [String] = []) {
        self.types = Dictionary(types.map { (Array($0.name.utf8), $0.type) }) { first, _ in first }
        self.lists = Set(lists.map { Array($0.utf8) })
    }

    /// Whether any parameter must be written as its declared type or as a list, and not just as a string.
    func needsTypes(for parameters: borrowing QueryItems) -> Bool {
        !types.isEmpty || !lists.isEmpty || parameters.hasRepeatedName
    }

    /// Returns parameters as an object, from which ``ProgramOutput/items(of:)`` reads equal items.
    ///
    /// Numbers and Booleans follow their declarations, a list is an array, and everything else is a string. An undeclared
    /// parameter is an array if it repeats, with a null for each name alone, and the empty array for a single name alone.
    func json(_ parameters: QueryItems) -> JSONValue {
        var names: [String] = []
        var values: [[UInt8]: [JSONValue]] = [:]
        for item in parameters {
            let name = Array(item.name.utf8)
            if values[name] == nil { names.append(item.name) }
            values[name, default: []].append(item.value.map { json($0, types[name]) } ?? .null)
        }
        return .object(
            names.map { name in
                let bytes = Array(name.utf8)
                let elements = values[bytes] ?? []
                if elements == [.null] { return .init(name, .array([])) }
                let isList = lists.contains(bytes) || elements.count > 1
                return .init(name, isList ? .array(elements) : elements[0])
            })
    }

    private func json(_ text: String, _ type: ParameterType?) -> JSONValue {
        switch type {
        case .boolean: .bool(TextForms.boolean(in: text.utf8.span) == true)
        case .integer, .number: JSONNumber(text.withoutLeadingZeros).map { .number($0) } ?? .string(text)
        default: .string(text)
        }
    }
}

extension String {
    /// The number without the leading zeros that JSON forbids: `-007` is `-7`.
    fileprivate var withoutLeadingZeros: String {
        let sign = hasPrefix("-") ? "-" : ""
        var digits = dropFirst(sign.count)
        while digits.hasPrefix("0"), digits.dropFirst().first?.isASCIIDigit == true { digits.removeFirst() }
        return sign + digits
    }
}

extension Character {
    fileprivate var isASCIIDigit: Bool { ("0"..."9").contains(self) }
}

extension QueryItems {
    /// Whether two items have the same name.
    fileprivate var hasRepeatedName: Bool {
        // Few requests have many items; for many, a set would be faster, but writing them costs far more anyway.
        for index in entries.indices.dropFirst() {
            for other in 0..<index where hasName(of: other, at: index) { return true }
        }
        return false
    }

    private func hasName(of other: Int, at index: Int) -> Bool {
        let texts = storage.bytes.span
        return areEqual(texts.extracting(entries[other].name), texts.extracting(entries[index].name))
    }
}
