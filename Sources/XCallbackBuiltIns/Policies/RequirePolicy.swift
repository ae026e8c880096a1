import XCallbackBytes
import XCallbackConfiguration
import XCallbackPipeline
import XCallbackURL

/// Lets requests pass that have certain parameters: `require: token`, or `require: { mode: [read, list] }`.
///
/// With a mapping, every value of each parameter has to be one of those listed. It looks at parameters as they were
/// received, before the input is decoded.
struct RequirePolicy: Policy, ConfiguredStage {
    fileprivate struct Requirement {
        let name: String
        let nameBytes: [UInt8]
        /// The values that are fine; nil for any.
        let values: [String]?
        /// Whether values also come under names such as `tag.0`.
        let isList: Bool
        /// Whether the name alone is a value.
        let isFlag: Bool

        init(_ name: String, values: [String]?, in route: StageSource.RouteFacts) {
            self.name = name
            self.values = values
            nameBytes = Array(name.utf8)
            isList = route.isList(name)
            let rule = route.input.declarations.first { $0.name == name }?.rule
            isFlag = rule?.type == .boolean && rule?.isList == false
        }
    }

    private let requirements: [Requirement]

    init?(_ source: StageSource) {
        guard let node = source.requiredNode("the names of parameters") else { return nil }
        if case .mapping = node.content {
            requirements = (node.members(source.faults) ?? []).map { member in
                let values = member.value.isNull ? nil : member.value.strings(source.faults)
                return Requirement(member.key, values: values, in: source.route)
            }
        } else {
            requirements = (node.strings(source.faults) ?? []).map { name in
                Requirement(name, values: nil, in: source.route)
            }
        }
        if requirements.isEmpty { source.faults.report("expected at least one parameter", at: node.place) }
        for requirement in requirements where !source.route.canHave(requirement.name) {
            source.faults.report("no parameter of this route is called \(requirement.name.quoted)", at: node.place)
        }
    }

    func verify(_ request: Request, _ state: inout PipelineState) -> Verdict {
        for requirement in requirements {
            guard let fault = requirement.fault(in: request.parameters) else { continue }
            return .failed(.refusal(by: "require", fault))
        }
        return .verified
    }
}

extension RequirePolicy.Requirement {
    /// What is wrong with parameters that do not fulfil the requirement; nil if they do.
    fileprivate func fault(in parameters: QueryItems) -> String? {
        var isPresent = false
        for index in parameters.entries.indices {
            let entry = parameters.entries[index]
            guard isNamed(parameters.storage.bytes.span.extracting(entry.name)), entry.hasValue || isFlag else {
                continue
            }
            isPresent = true
            let value = entry.hasValue ? String(utf8: parameters.storage.bytes.span.extracting(entry.value)) : "true"
            if let values, !values.contains(value) { return "parameter '\(name)' has another value" }
        }
        return isPresent ? nil : "parameter '\(name)' is missing"
    }

    /// Whether an item gives a value of the parameter.
    private func isNamed(_ item: Span<UInt8>) -> Bool {
        guard let place = listPlace(of: item, in: nameBytes) else { return false }
        return isList || place == .whole
    }
}
