import XCallbackConfiguration
import XCallbackRouter
import XCallbackURL
import XCallbackWire

/// Accepts requests with certain parameters: `require: token`, or `require: { mode: [read, list] }`.
///
/// With a mapping, every value of each parameter must be in its list. The policy checks parameters as received, before
/// the input is decoded: a list can be empty, and its elements are those of its items.
struct RequirePolicy: RequestPolicy, ConfiguredStage {
    fileprivate struct Requirement {
        let name: String
        let nameBytes: [UInt8]
        /// The part of the URL, if the name is that of one, such as `@port`.
        let fact: RequestFact?
        /// The accepted values; nil for any.
        let values: [String]?
        /// Whether values can have names such as `tag.0`.
        let isList: Bool
        /// Whether the name alone is a value.
        let isFlag: Bool

        init(_ name: String, values: [String]?, in route: StageRoute) {
            self.name = name
            self.values = values
            let isOfURL = route.syntax == .url
            fact = isOfURL ? RequestFact.partsOfURLs.first { $0.parameterName == name } : nil
            nameBytes = Array(name.utf8)
            isList = route.isList(name)
            let rule = route.input.declarations.first(named: name)?.rule
            isFlag = rule?.type == .boolean && rule?.isList == false
        }
    }

    private let requirements: [Requirement]
    /// The maximum number of elements of a list.
    private let maximumElements: Int

    init?(_ source: StageSource) {
        guard let node = source.requiredNode("the names of parameters") else { return nil }
        maximumElements = source.context.limits.parameters
        if case .mapping(let members) = node.content {
            requirements = members.map { member in
                let values = member.value.isNull ? nil : member.value.strings(source.faults)
                return Requirement(member.key, values: values, in: source.route)
            }
        } else {
            requirements = (node.strings(source.faults) ?? []).map { name in
                Requirement(name, values: nil, in: source.route)
            }
        }
        if requirements.isEmpty { source.faults.report("expected at least one parameter", at: node.place) }
        for requirement in requirements where requirement.fact == nil && !source.route.canHave(requirement.name) {
            source.faults.report(
                "this route has no parameter \(requirement.name.quoted)\(Self.valueHint(requirement.name))",
                at: node.place)
        }
    }

    /// Returns the replacement for a text with a name and a value, such as `sure=yes`; empty if it is only a name.
    private static func valueHint(_ text: String) -> String {
        let parts = text.split(separator: "=", maxSplits: 1)
        return parts.count == 2 ? ": a value is demanded by '{ \(parts[0]): \(parts[1]) }'" : ""
    }

    func verify(_ request: Request) -> PolicyResult {
        for requirement in requirements {
            guard let fault = requirement.fault(in: request, maximumElements) else { continue }
            return .failed(.refusal(by: "require", fault))
        }
        return .verified
    }
}

extension RequirePolicy.Requirement {
    /// Returns the fault of a request that does not meet the requirement; nil if it does.
    fileprivate func fault(in request: Request, _ maximumElements: Int) -> String? {
        let parameters = request.parameters
        if let fact {
            guard let text = request.text(of: fact) else { return "the URL has no \(fact.rawValue)" }
            return values?.contains { areEqual($0, text) } == false ? "the URL has another \(fact.rawValue)" : nil
        }
        var isPresent = false
        var elementCount = 0
        for index in parameters.entries.indices {
            let entry = parameters.entries[index]
            let texts = parameters.storage.bytes.span
            guard let place = listPlace(of: texts.extracting(entry.name), in: nameBytes), isList || place == .whole,
                entry.hasValue || isFlag || isList
            else { continue }
            isPresent = true
            elementCount += parameters.elementCount(of: index)
            guard elementCount <= maximumElements else {
                return "parameter '\(name)' has more than \(maximumElements) elements"
            }
            if let values,
                !given(by: index, place, of: request).allSatisfy({ value in values.contains { areEqual($0, value) } })
            {
                return "parameter '\(name)' has another value"
            }
        }
        return isPresent ? nil : "parameter '\(name)' is missing"
    }

    /// Returns the values of an item; a value that ends within a character counts as not listed.
    private func given(by index: Int, _ place: ListPlace, of request: Request) -> [String] {
        let parameters = request.parameters
        guard isList, place == .whole else {
            return [parameters[index].value ?? (isFlag ? "true" : nil)].compactMap(\.self)
        }
        return parameters.elements(of: index, plusIsSpace: request.matchedRoute?.readsForms ?? false)
            .map { String(decoding: $0 ?? [0], as: UTF8.self) }
    }
}
