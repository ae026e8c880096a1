import XCallbackJSON
import XCallbackPipeline
import XCallbackURL

extension Request {
    /// The request as a program reads it.
    ///
    /// - Parameter route: What is known of the parameters.
    /// - Returns: An object.
    func json(_ route: ParameterKinds) -> JSONValue {
        let url = receivedURL ?? self.url
        var members: [JSONValue.Member] = [
            .init("url", .string(receivedText)), .init("route", .string(self.route)),
            .init("action", .string("/\(self.url.segments.joined(separator: "/"))")),
            .init("parameters", route.json(parameters)), .init("source", source.map { .string($0) } ?? .null),
            .init("origin", .string(origin.rawValue)), .init("peer", peer.json),
        ]
        members.append(.init("data", .object(dataMembers)))
        let callbacks = [("success", url.success), ("error", url.error), ("cancel", url.cancel)]
        members.append(
            .init("callbacks", .object(callbacks.compactMap { name, text in text.map { .init(name, .string($0)) } })))
        return .object(members)
    }

    private var dataMembers: [JSONValue.Member] {
        data.sorted { $0.key < $1.key }.compactMap { key, value in
            switch value {
            case let value as JSONValue: .init(key, value)
            case let text as String: .init(key, .string(text))
            case let texts as [String]: .init(key, .array(texts.map { .string($0) }))
            case let number as Int: .init(key, .number(JSONNumber(number)))
            case let isTrue as Bool: .init(key, .bool(isTrue))
            default: nil
            }
        }
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

    /// Parameters as an object: numbers and Booleans as what they are declared, a list as a list, everything else as
    /// text; what is not declared and repeats is a list too.
    func json(_ parameters: QueryItems) -> JSONValue {
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
