import XCallbackBytes
import XCallbackJSON
package import XCallbackURL

/// What a route knows of its parameters, as JSON shows it: their types, and which are lists.
package struct ParameterKinds: Sendable {
    // By the bytes of their names.
    private let types: [[UInt8]: ParameterType]
    private let lists: Set<[UInt8]>

    /// Creates what is known.
    ///
    /// - Parameters:
    ///   - types: The declared types by name, each name once; all else is text.
    ///   - lists: The names of those that are lists, also with one value; any other is one if it repeats.
    package init(types: [(name: String, type: ParameterType)] = [], lists: [String] = []) {
        self.types = Dictionary(types.map { (Array($0.name.utf8), $0.type) }) { first, _ in first }
        self.lists = Set(lists.map { Array($0.utf8) })
    }

    /// Whether parameters have to be written as what they are declared, or as lists: not each as a text of its own.
    func needsTypes(for parameters: borrowing QueryItems) -> Bool {
        !types.isEmpty || !lists.isEmpty || parameters.hasRepeatedName
    }

    /// Parameters as an object, which ``ProgramOutput/items(of:)`` reads back equal.
    ///
    /// Numbers and Booleans are what they are declared, a list is a list, and everything else is text. What is not
    /// declared is a list if it repeats, with a null for each name alone, and the empty list if there is only the name.
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
    /// The number without the zeros that JSON does not allow: `-007` is `-7`.
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
    /// Whether two items have one name.
    fileprivate var hasRepeatedName: Bool {
        // Few have many; with many, a set would cost less, but then so much else is to be written.
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
