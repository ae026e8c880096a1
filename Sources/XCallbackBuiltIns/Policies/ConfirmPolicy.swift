import XCallbackConfiguration
import XCallbackPipeline
import XCallbackPrograms
import XCallbackURL

/// Lets a program ask somebody: `confirm: [zenity, --question, --default-cancel, --no-markup, "--text=Delete {id}?"]`.
///
/// Status 0 is a yes, 1 is a no and cancels the request, anything else is an error. While it asks, the time of the
/// request stands still; the question has a time of its own (`confirm: { exec: […], timeout: 30s }`).
struct ConfirmPolicy: AsyncPolicy, ConfiguredStage, RequestProgramOwner {
    /// How long a question may stand if the configuration says nothing.
    private static let usualLimit = Duration.seconds(120)

    let limit: Duration?
    private let decision: DecidingProgram

    init?(_ source: StageSource) {
        var arguments = source.node
        var limit = Self.usualLimit
        if let node = source.node, case .mapping = node.content {
            guard let reader = MappingReader(node, of: "a 'confirm' policy", faults: source.faults) else { return nil }
            limit = reader.duration("timeout", in: .milliseconds(1)...Duration.seconds(86_400)) ?? limit
            arguments = reader.requiredNode("exec")
            reader.finish()
            if arguments == nil { return nil }
        }
        guard let program = DecidingProgram(arguments, source) else { return nil }
        decision = program
        self.limit = limit
    }

    var program: Program { decision.program }

    func verify(_ request: Request) async -> Response? {
        await decision.decide(on: request, limit: limit) { status, error in
            switch status {
            case 0: .yes
            case 1: .no(.cancel)
            default: error.map { .no(.error($0)) } ?? .undecided
            }
        }
    }
}

extension ConfirmPolicy: RehearsedStage {
    /// Asks nobody.
    func rehearse(_ request: inout Request, _ state: inout PipelineState) -> Rehearsal {
        decision.rehearse(request, "whoever the program asks decides")
    }
}
