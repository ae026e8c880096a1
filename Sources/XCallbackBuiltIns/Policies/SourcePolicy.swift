import XCallbackConfiguration
import XCallbackPipeline
import XCallbackURL

/// Lets requests pass whose `x-source` is one of some texts: `source: Editor`, or a list.
///
/// It is what the sender calls itself, and anybody can call itself so.
struct SourcePolicy: Policy, ConfiguredStage, ValuePolicy {
    private let names: [String]

    var acceptedValues: Set<String> { Set(names) }

    var usesParameters: Bool { false }

    init?(_ source: StageSource) {
        guard let node = source.requiredNode("a value of x-source, or a list of values"),
            let names = node.strings(source.faults)
        else { return nil }
        if names.isEmpty { source.faults.report("expected at least one value of x-source", at: node.place) }
        self.names = names
    }

    func verify(_ request: Request, _ state: inout PipelineState) -> Verdict {
        guard let name = request.source else { return .failed(.refusal(by: "source", "x-source is missing")) }
        // Byte by byte: texts that look the same may differ.
        let isAllowed = names.contains { $0.utf8.elementsEqual(name.utf8) }
        return isAllowed ? .verified : .failed(.refusal(by: "source", "the source is not allowed"))
    }
}
