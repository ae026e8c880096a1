import XCallbackPipeline
import XCallbackURL

/// Lets a program decide on each request: `exec: [may, "{id}"]`.
///
/// Status 0 lets the request pass. With any other it is refused, with the error that the last line of standard error
/// is, or else with 403.
struct ExecPolicy: AwaitedPolicy {
    private let program: DecidingProgram

    init?(_ source: StageSource) {
        guard let program = DecidingProgram(source.node, source) else { return nil }
        self.program = program
    }

    func verify(_ request: Request) async -> Response? {
        await program.decide(on: request) { status, error in
            status == 0 ? .yes : .no(.error(error ?? .refusal(by: "exec", "its program says no")))
        }
    }
}

extension ExecPolicy: RehearsedStage {
    /// Asks no program.
    func rehearse(_ request: inout Request, _ state: inout PipelineState) -> Rehearsal {
        program.rehearse(request, "the exit status of the program decides")
    }
}
