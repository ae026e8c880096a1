import Logging
import XCallbackEventLoop
import XCallbackPipeline
import XCallbackURL

/// Lets a program decide on each request: `exec: [may, "{id}"]`.
///
/// Status 0 lets the request pass. With any other it is refused, with the error that the last line of standard error
/// is, or else with 403.
struct ExecPolicy: AwaitedPolicy {
    private let program: Program
    private let log: ProgramLog

    init?(_ source: StageSource) {
        guard let program = Program(source.node, source) else { return nil }
        self.program = program
        log = ProgramLog(source)
    }

    func verify(_ request: Request) async -> Response? {
        do {
            let result = try await program.run(for: request, keepsOutput: false)
            var errors = result.errors[...]
            defer { log.errors(errors, isFailure: false) }
            switch result.ending {
            case .exited(status: 0): return nil
            case .exited:
                let error = CallbackError(takingLastLineOf: &errors)
                return .error(error ?? .refusal(by: "exec", "its program says no"))
            case .killed(let signal):
                log.failure("a policy failed", ["policy": "exec", "error": "signal \(signal) ended the program"])
                return .error(.failure(of: "exec"))
            }
        } catch {
            // Of what is cancelled nobody hears.
            return .error(error as? CallbackError ?? .failure(of: "exec"))
        }
    }
}
