import XCallbackConfiguration
import XCallbackRouter
import XCallbackURL

/// Accepts requests whose `x-source` is one of some texts: `source: Editor`, or a list.
///
/// The sender chooses this name, and any sender can choose any name.
struct SourcePolicy: RequestPolicy, ConfiguredStage {
    private let names: [String]

    var facts: StageFacts { StageFacts { $0.usesParameters = false } }

    init?(_ source: StageSource) {
        guard let names = source.names("a value of x-source, or a list of values", atLeastOne: "value of x-source")
        else { return nil }
        self.names = names
    }

    func verify(_ request: Request) -> PolicyResult {
        guard let name = request.source else { return .failed(.refusal(by: "source", "x-source is missing")) }
        // Compares bytes: texts that look the same can differ.
        let isAllowed = names.contains { $0.utf8.elementsEqual(name.utf8) }
        return isAllowed ? .verified : .failed(.refusal(by: "source", "the source is not allowed"))
    }
}
