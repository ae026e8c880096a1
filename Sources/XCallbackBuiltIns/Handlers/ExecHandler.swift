import XCallbackConfiguration
import XCallbackEventLoop
import XCallbackPipeline
import XCallbackPrograms
import XCallbackURL

/// Runs a program for each request: `exec: [notes, add, --, "{text}"]`.
///
/// The program gets the parameters as arguments and in its environment, and the whole request as JSON; its output and
/// its exit status become the answer.
struct ExecHandler: AsyncHandler, ConfiguredStage, RequestProgramOwner {
    let program: Program
    let isDetached: Bool
    private let answer: ProgramAnswer

    init?(_ source: StageSource) {
        isDetached = source.keys?.bool("detach") ?? false
        answer = ProgramAnswer(source, isDetached: isDetached)
        guard let program = Program(source.node, source) else { return nil }
        self.program = program
    }

    var keepsOutput: Bool { answer.output != .none }

    var facts: StageFacts {
        var facts = StageFacts()
        facts.runsProgram = true
        facts.returns =
            switch answer.output {
            case .text: [ReturnedItem(name: "result", type: .string)]
            case .none: []
            case .json, .lines: nil
            }
        return facts
    }

    func handle(_ request: Request) async throws -> Response {
        if isDetached {
            try await program.start(for: request)
            return .success(QueryItems())
        }
        let result = try await program.run(for: request, keepsOutput: keepsOutput)
        let loop = EventLoop.current()
        return try answer.response(to: result) {
            program.logEnd(result, errors: $0, isFailure: $1, for: request, on: loop)
        }
    }

    func plan(for request: Request) -> StagePlan {
        program.plan(for: request, isDetached ? "succeeds once it has started" : "the result is known only then")
    }
}
