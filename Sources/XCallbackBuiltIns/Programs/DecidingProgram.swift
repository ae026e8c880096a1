import Logging
import XCallbackConfiguration
import XCallbackEventLoop
import XCallbackPipeline
import XCallbackPrograms
import XCallbackURL

/// A program that decides on requests for a policy.
struct DecidingProgram: Sendable {
    /// What a status of the program means.
    enum Decision {
        /// The request may go on.
        case yes
        /// The request ends here.
        case no(Response)
        /// The program has not decided.
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

    /// Creates the decision of a program.
    init(_ program: Program, _ source: StageSource) {
        self.program = program
        policy = source.name
        log = ProgramLog(source)
    }

    /// Runs the program for a request.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - limit: How long it may take, if that is not the time of the request.
    ///   - decision: What a status means; with it comes the error that the last line of standard error is.
    /// - Returns: What the request ends in, or nil if it may go on.
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
                // By the daemon itself, because its time is over or its client has gone.
                if Task.isCancelled { return .error(.failure(of: policy)) }
                return failure("signal \(signal) ended the program", request, on: loop)
            case .exited(let status):
                switch decision(status, error) {
                case .yes: return nil
                case .no(let response):
                    if error?.code == .unavailable { log.note(lastLineOf: errors, of: request, on: loop) }
                    return response
                case .undecided: return failure("the program ended with status \(status)", request, on: loop)
                }
            }
        } catch {
            // Of what is cancelled nobody hears. A program that cannot be run is not the handler's.
            let visible = (error as? CallbackError).flatMap { $0 == .internalFailure ? nil : $0 }
            return .error(visible ?? .failure(of: policy))
        }
    }

    /// Makes the arguments and starts nothing.
    func rehearse(_ request: Request, _ note: String) -> Rehearsal { program.rehearse(request, note) }

    private func failure(_ reason: String, _ request: Request, on loop: EventLoop?) -> Response {
        log.failure(
            "a policy failed", ["policy": "\(policy)", "error": "\(reason)"], cause: reason, for: request, on: loop)
        return .error(.failure(of: policy))
    }
}
