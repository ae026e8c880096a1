import XCallbackPipeline
import XCallbackURL

/// Runs a program that decides on each request: `exec: [may, "{id}"]`.
///
/// Status 0 accepts the request. Any other status rejects it, with the error in the last line of standard error, or
/// else with 403.
struct ExecPolicy: AsyncPolicy, ConfiguredStage, ProgramOwner {
    private let program: Program

    init?(_ source: StageSource) {
        guard let program = Program(source.node, source, for: .status) else { return nil }
        self.program = program
    }

    var ownProgram: Program? { program }

    func verify(_ request: Request, _ host: any StageHost) async -> Response? {
        await program.decide(on: request, for: "exec", host) { _, error in
            .error(error ?? .refusal(by: "exec", "its program denied it"))
        }
    }

    func plan(for request: Request) -> StagePlan { program.plan(for: request, "its exit status decides") }
}
