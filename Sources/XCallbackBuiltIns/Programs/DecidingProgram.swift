import Logging
import XCallbackConfiguration
import XCallbackEventLoop
import XCallbackPipeline
import XCallbackPrograms
import XCallbackURL

/// A program that decides on requests for a policy.
struct DecidingProgram: Sendable {
    /// The meaning of an exit status of the program.
    enum Decision {
        /// The request is accepted.
        case yes
        /// The request ends here.
        case no(Response)
        /// The program made no decision.
        case undecided
    }

    /// The program itself.
    let program: Program
    private let policy: String
    private let log: ProgramLog

    /// Decodes a program and its arguments.
    init?(_ node: Node?, _ source: StageSource) {
        guard let program = Program(node, source) else { return nil }
        self.init(program, source)
    }

    /// Creates a deciding program from a decoded program.
    init(_ program: Program, _ source: StageSource) {
        self.program = program
        policy = source.name
        log = ProgramLog(source)
    }

    /// Runs the program for a request.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - limit: The time limit, if it differs from that of the request.
    ///   - decision: Maps a status to a decision, given the error in the last line of standard error.
    /// - Returns: The response that ends the request; nil if the request is accepted.
    func decide(
        on request: Request, limit: Duration? = nil, _ decision: (Int32, CallbackError?) -> Decision
    ) async -> Response? {
        let loop = EventLoop.current()
        do {
            let result = try await program.run(for: request, keepsOutput: false, limit: limit)
            var errors = result.errors[...]
            let error = CallbackError(takingLastLineOf: &errors)
            let isKilled = if case .killed = result.ending { true } else { false }
            program.logEnd(result, errors: errors, isFailure: isKilled, for: request, on: loop)
            switch result.ending {
            case .killed(let signal):
                // The daemon itself ended it after a timeout, or after the client disconnected.
                if Task.isCancelled { return .error(.failure(of: policy)) }
                return failure("signal \(signal) ended the program", request, on: loop)
            case .exited(let status):
                switch decision(status, error) {
                case .yes: return nil
                case .no(let response): return response
                case .undecided: return failure("the program ended with status \(status)", request, on: loop)
                }
            }
        } catch {
            // A cancelled request gets no answer. A policy's program that cannot run must not look like a handler
            // failure.
            let visible = (error as? CallbackError).flatMap { $0 == .internalFailure ? nil : $0 }
            return .error(visible ?? .failure(of: policy))
        }
    }

    private func failure(_ reason: String, _ request: Request, on loop: EventLoop?) -> Response {
        log.failure(
            "a policy failed", ["policy": "\(policy)", "error": "\(reason)"], cause: reason, for: request, on: loop)
        return .error(.failure(of: policy))
    }
}
