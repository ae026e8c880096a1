import Logging
import XCallbackEventLoop
import XCallbackPipeline
import XCallbackPrograms
import XCallbackURL

extension Program {
    /// The meaning of an exit status of a program that decides for a policy.
    enum Decision {
        /// The request is accepted.
        case yes
        /// The request ends here.
        case no(Response)
        /// The program made no decision.
        case undecided
    }

    /// Runs the program to decide on a request.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - policy: The name of the policy.
    ///   - decision: Maps a status to a decision, given the error in the last line of standard error.
    /// - Returns: The response that ends the request; nil if the request is accepted.
    func decide(
        on request: Request, for policy: String, _ decision: (Int32, CallbackError?) -> Decision
    ) async -> Response? {
        let loop = EventLoop.current()
        let reason: String
        do {
            let result = try await run(for: request)
            var errors = result.errors[...]
            let error = CallbackError(takingLastLineOf: &errors)
            let isKilled = if case .killed = result.ending { true } else { false }
            logEnd(result, errors: errors, isFailure: isKilled, for: request, on: loop)
            switch result.ending {
            case .killed(let signal):
                // The daemon itself ended it after a timeout, or after the client disconnected.
                if Task.isCancelled { return .error(.failure(of: policy)) }
                reason = "signal \(signal) ended the program"
            case .exited(let status):
                switch decision(status, error) {
                case .yes: return nil
                case .no(let response): return response
                case .undecided: reason = "the program ended with status \(status)"
                }
            }
        } catch {
            // A cancelled request gets no answer. A policy's program that cannot run must not look like a handler
            // failure.
            let visible = (error as? CallbackError).flatMap { $0 == .internalFailure ? nil : $0 }
            return .error(visible ?? .failure(of: policy))
        }
        log.failure(
            "a policy failed", ["policy": "\(policy)", "error": "\(reason)"], cause: reason, for: request, on: loop)
        return .error(.failure(of: policy))
    }
}
