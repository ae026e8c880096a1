package import XCallbackRouter
package import XCallbackURL
package import XCallbackWire

extension Request {
    /// Returns the request in the form that programs and receivers read: the members of an object.
    package func members(_ kinds: ParameterKinds) -> [JSONValue.Member] {
        let received = receivedURL ?? url
        let parts = RequestFact.partsOfURLs.map { ($0.rawValue, text(of: $0)) }
        let callbacks = [("success", received.success), ("error", received.error), ("cancel", received.cancel)]
        return [
            .init("url", .string(receivedText)), .init("route", .string(matchedRoute?.name ?? "")),
            .init("action", .string(url.canonicalAction)), .init("query", .string(url.canonicalQuery)),
        ] + Self.present(parts) + [
            .init("parameters", kinds.json(parameters)), .init("source", .text(source)),
            .init("origin", .string(origin.rawValue)), .init("peer", peer.json), .init("data", dataValue),
            .init("callbacks", .object(Self.present(callbacks))),
        ]
    }

    private static func present(_ texts: [(String, String?)]) -> [JSONValue.Member] {
        texts.compactMap { name, text in text.map { .init(name, .string($0)) } }
    }

    /// The data that middleware has added, as far as it has a JSON form.
    package var dataValue: JSONValue {
        .object(
            data.sorted { $0.key < $1.key }.compactMap { key, value in
                switch value {
                case let value as JSONValue: .init(key, value)
                case let text as String: .init(key, .string(text))
                case let texts as [String]: .init(key, .texts(texts))
                case let number as Int: .init(key, .number(JSONNumber(number)))
                case let isTrue as Bool: .init(key, .bool(isTrue))
                default: nil
                }
            })
    }
}

extension Peer {
    /// The process as a JSON object.
    package var json: JSONValue {
        [
            "uid": .number(JSONNumber(userID)), "gid": .number(JSONNumber(groupID)),
            "pid": .number(JSONNumber(processID)),
        ]
    }
}

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

    /// Returns parameters as an object, from which ``ProgramOutput/items(of:)`` reads equal items.
    ///
    /// Numbers and Booleans follow their declarations, a list is an array, and everything else is a string. An undeclared
    /// parameter is an array if it repeats, with a null for each name alone, and the empty array for a single name alone.
    func json(_ parameters: QueryItems) -> JSONValue {
        .object(
            parameters.valuesByName.map { name, values in
                if values == [nil] { return .init(name, .array([])) }
                let bytes = Array(name.utf8)
                let elements = values.map { $0.map { json($0, types[bytes]) } ?? .null }
                return .init(name, lists.contains(bytes) || elements.count > 1 ? .array(elements) : elements[0])
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
        while digits.hasPrefix("0"), digits.dropFirst().first?.isNumber == true { digits.removeFirst() }
        return sign + digits
    }
}

extension OutputSpan<UInt8> {
    /// Returns the maximum number of bytes of items as JSON.
    package static func room(forItems items: borrowing QueryItems) -> Int {
        var room = 2
        for index in items.entries.indices {
            let entry = items.entries[index]
            room += (entry.name.count + entry.value.count) * 6 + 32
        }
        return room
    }

    /// Appends items as JSON: an array of objects with `name` and `value`.
    ///
    /// The span must have room for ``room(forItems:)`` bytes.
    package mutating func append(items: borrowing QueryItems) {
        append(UInt8(ascii: "["))
        for index in items.entries.indices {
            let entry = items.entries[index]
            if index > 0 { append(UInt8(ascii: ",")) }
            append("{\"name\":\"")
            append(escaping: items.storage.bytes.span.extracting(entry.name))
            append("\",\"value\":")
            if entry.hasValue {
                append(json: items.storage.bytes.span.extracting(entry.value))
            } else {
                append("null")
            }
            append(UInt8(ascii: "}"))
        }
        append(UInt8(ascii: "]"))
    }
}
