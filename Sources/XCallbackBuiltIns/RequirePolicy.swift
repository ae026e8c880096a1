import XCallbackConfiguration
import XCallbackPipeline
import XCallbackURL

/// Lets requests pass that have certain parameters: `require: token`, or `require: { mode: [read, list] }`.
///
/// With a mapping, the first value of each parameter has to be one of those listed.
struct RequirePolicy: Policy {
    private struct Requirement {
        let name: String
        let nameBytes: [UInt8]
        /// The values that are fine; nil for any.
        let values: [String]?
    }

    private let requirements: [Requirement]

    init?(_ source: StageSource) {
        guard let node = source.requiredNode("the names of parameters") else { return nil }
        if case .mapping = node.content {
            requirements = (node.members(source.faults) ?? []).map { member in
                let values = member.value.isNull ? nil : member.value.strings(source.faults)
                return Requirement(name: member.key, nameBytes: Array(member.key.utf8), values: values)
            }
        } else {
            requirements = (node.strings(source.faults) ?? []).map { name in
                Requirement(name: name, nameBytes: Array(name.utf8), values: nil)
            }
        }
        if requirements.isEmpty { source.faults.report("expected at least one parameter", at: node.place) }
        for requirement in requirements where !source.route.canHave(requirement.name) {
            source.faults.report("no parameter of this route is called \(requirement.name.quoted)", at: node.place)
        }
    }

    func verify(_ request: Request, _ state: inout PipelineState) -> Verdict {
        for requirement in requirements {
            guard let index = request.parameters.firstIndex(named: requirement.nameBytes) else {
                return .failed(.missing(requirement.name))
            }
            if let values = requirement.values, !values.contains(request.parameters[index].value ?? "") {
                return .failed(.unfit(requirement.name))
            }
        }
        return .verified
    }
}

extension CallbackError {
    fileprivate static func missing(_ name: String) -> CallbackError {
        CallbackError(.refused, "Policy 'require' refuses the request: parameter '\(name)' is missing.")
    }

    fileprivate static func unfit(_ name: String) -> CallbackError {
        CallbackError(.refused, "Policy 'require' refuses the request: parameter '\(name)' has another value.")
    }
}
