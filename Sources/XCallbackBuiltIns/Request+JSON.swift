package import XCallbackJSON
package import XCallbackPipeline
import XCallbackURL

extension Request {
    /// Appends the request as a program reads it: the members of an object, without its braces.
    ///
    /// They are written without a `JSONValue`, as each request of a client that receives has them.
    ///
    /// - Parameters:
    ///   - kinds: What is known of the parameters.
    ///   - bytes: Where they are appended.
    func appendMembers(_ kinds: ParameterKinds, to bytes: inout [UInt8]) {
        bytes.append("\"url\":")
        bytes.append(json: receivedText)
        bytes.append(",\"route\":")
        bytes.append(json: route)
        bytes.append(",\"action\":")
        bytes.append(json: action.span)
        bytes.append(",\"parameters\":")
        kinds.append(parameters, to: &bytes)
        bytes.append(",\"source\":")
        if let source { bytes.append(json: source) } else { bytes.append("null") }
        bytes.append(",\"origin\":")
        bytes.append(json: origin.rawValue)
        bytes.append(",\"peer\":{\"uid\":")
        bytes += String(peer.userID).utf8
        bytes.append(",\"gid\":")
        bytes += String(peer.groupID).utf8
        bytes.append(",\"pid\":")
        bytes += String(peer.processID).utf8
        bytes.append("},\"data\":")
        if data.isEmpty { bytes.append("{}") } else { dataValue.write(to: &bytes) }
        bytes.append(",\"callbacks\":{")
        appendCallbacks(to: &bytes)
        bytes.append("}")
    }

    /// The action, decoded, as a path.
    private var action: [UInt8] {
        var path: [UInt8] = []
        for index in url.segmentRanges.indices {
            path.append(UInt8(ascii: "/"))
            path.append(url.storage.bytes.span.extracting(url.segmentRanges[index]))
        }
        if path.isEmpty { path.append(UInt8(ascii: "/")) }
        return path
    }

    private func appendCallbacks(to bytes: inout [UInt8]) {
        let url = receivedURL ?? self.url
        var isFirst = true
        for (name, text) in [("success", url.success), ("error", url.error), ("cancel", url.cancel)] {
            guard let text else { continue }
            if !isFirst { bytes.append(UInt8(ascii: ",")) }
            isFirst = false
            bytes.append(json: name)
            bytes.append(UInt8(ascii: ":"))
            bytes.append(json: text)
        }
    }

    /// What middleware has left, as far as JSON has a form for it.
    package var dataValue: JSONValue {
        .object(
            data.sorted { $0.key < $1.key }.compactMap { key, value in
                switch value {
                case let value as JSONValue: .init(key, value)
                case let text as String: .init(key, .string(text))
                case let texts as [String]: .init(key, .array(texts.map { .string($0) }))
                case let number as Int: .init(key, .number(JSONNumber(number)))
                case let isTrue as Bool: .init(key, .bool(isTrue))
                default: nil
                }
            })
    }
}

/// The types of a route's parameters, as JSON shows them.
struct ParameterKinds: Sendable {
    private let types: [String: ParameterType]
    private let lists: Set<String>

    /// Knows nothing: all is text, and what repeats is a list.
    init() {
        types = [:]
        lists = []
    }

    /// Knows what a route declares.
    init(_ route: StageSource.RouteFacts) {
        types = Dictionary(route.input.declarations.map { ($0.name, $0.rule.type) }) { first, _ in first }
        lists = Set(route.parameterNames.filter { route.isList($0) })
    }

    /// Appends parameters as an object: numbers and Booleans as what they are declared, a list as a list, everything
    /// else as text; what is not declared and repeats is a list too.
    func append(_ parameters: borrowing QueryItems, to bytes: inout [UInt8]) {
        guard types.isEmpty, lists.isEmpty, !parameters.hasRepeatedName else {
            return json(copy parameters).write(to: &bytes)
        }
        bytes.append(UInt8(ascii: "{"))
        for index in parameters.entries.indices {
            let entry = parameters.entries[index]
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            bytes.append(json: parameters.storage.bytes.span.extracting(entry.name))
            bytes.append(UInt8(ascii: ":"))
            bytes.append(value: entry, of: parameters)
        }
        bytes.append(UInt8(ascii: "}"))
    }

    private func json(_ parameters: QueryItems) -> JSONValue {
        var names: [String] = []
        var values: [String: [JSONValue]] = [:]
        for item in parameters {
            if values[item.name] == nil { names.append(item.name) }
            values[item.name, default: []].append(item.value.map { json($0, types[item.name]) } ?? .null)
        }
        return .object(
            names.map { name in
                let elements = values[name] ?? []
                let isList = lists.contains(name) || elements.count > 1
                return .init(name, isList ? .array(elements) : elements.first ?? .null)
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
