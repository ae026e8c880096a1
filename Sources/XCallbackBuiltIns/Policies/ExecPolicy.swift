import Logging
import XCallbackEventLoop
import XCallbackLinux
import XCallbackPrograms
import XCallbackRouter
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

extension Program {
    /// Runs the program to decide on a request; status 0 accepts it.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - policy: The name of the policy.
    ///   - host: The host of the stage.
    ///   - refusal: Returns the response for another status, given the error in the last line of standard error; nil if the
    ///     program has made no decision.
    /// - Returns: The response that ends the request; nil if the request is accepted.
    func decide(
        on request: Request, for policy: String, _ host: any StageHost,
        _ refusal: (Int32, CallbackError?) -> Response?
    ) async -> Response? {
        let reason: String
        do {
            let result = try await run(for: request, host)
            var errors = result.errors[...]
            let error = CallbackError(takingLastLineOf: &errors)
            let isKilled = if case .killed = result.ending { true } else { false }
            logEnd(result, errors: errors, isFailure: isKilled, for: request, host)
            switch result.ending {
            case .killed(let signal):
                // The daemon itself ended it after a timeout, or after the client disconnected.
                if Task.isCancelled { return .error(.failure(of: policy)) }
                reason = "signal \(signal) ended the program"
            case .exited(status: 0): return nil
            case .exited(let status):
                if let response = refusal(status, error) { return response }
                reason = "the program ended with status \(status)"
            }
        } catch {
            // A cancelled request gets no answer. A policy's program that cannot run must not look like a handler
            // failure.
            let visible = (error as? CallbackError).flatMap { $0 == .internalFailure ? nil : $0 }
            return .error(visible ?? .failure(of: policy))
        }
        log.failure(
            "a policy failed", ["policy": "\(policy)", "error": "\(reason)"], cause: reason, for: request, host)
        return .error(.failure(of: policy))
    }
}
