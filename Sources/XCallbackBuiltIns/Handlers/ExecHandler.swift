import XCallbackConfiguration
import XCallbackPrograms
import XCallbackRouter
import XCallbackURL

/// Runs a program for each request: `exec: [notes, add, --, "{text}"]`.
///
/// The program gets the parameters as arguments and in its environment, and the whole request as JSON; its output and
/// its exit status become the answer.
struct ExecHandler: HostedHandler, ConfiguredStage, ProgramOwner {
    static let keys = Program.keys + ["cancel-status", "detach", "output"]

    private let program: Program
    private let isDetached: Bool
    private let answer: ProgramAnswer

    init?(_ source: StageSource) {
        isDetached = source.keys?.bool("detach") ?? false
        answer = ProgramAnswer(source, isDetached: isDetached)
        let use: Program.Use = isDetached ? .detached : answer.output == .none ? .status : .output
        guard let program = Program(source.node, source, for: use) else { return nil }
        self.program = program
    }

    var ownProgram: Program? { program }

    /// A detached program, which the daemon only watches for a moment, may take longer than the request to start.
    var limit: Duration? { isDetached ? .seconds(30) : nil }

    var facts: StageFacts {
        StageFacts {
            $0.runsProgram = true
            $0.returns =
                switch answer.output {
                case .text: [ReturnedItem(name: "result", type: .string)]
                case .none: []
                case .json, .lines: nil
                }
        }
    }

    func handle(_ request: Request, _ host: any StageHost) async throws -> Response {
        let result =
            isDetached ? try await program.start(for: request, host) : try await program.run(for: request, host)
        // A detached program runs on.
        guard let result else { return .success(QueryItems()) }
        return try answer.response(to: result) {
            program.logEnd(result, errors: $0, isFailure: $1, for: request, host)
        }
    }

    func plan(for request: Request) -> StagePlan {
        program.plan(
            for: request,
            isDetached ? "succeeds if it has not failed after 2 s" : "the result is known once it has ended")
    }
}
