import Logging
package import XCallbackEventLoop
package import XCallbackPipeline
package import XCallbackURL
import XCallbackWire

/// A stage that runs a program for each request.
protocol ProgramOwner: Sendable {
    /// The program.
    var program: Program { get }
}

extension RouterConfiguration {
    /// Makes the command of a program from its position in the configuration, for any caller.
    ///
    /// The request is checked as if the caller could lie: against the route's pattern, its captures, and its input. The
    /// route's other checks are not repeated, because its policies have already run.
    ///
    /// - Parameters:
    ///   - kind: The kind of the stage.
    ///   - position: The position among the stages of the same kind.
    ///   - identity: The identity of the route (``Route/identity``).
    ///   - request: The request to run the program for; nil for a program that is started to receive.
    ///   - socket: The socket for a program that is started to receive.
    /// - Returns: The command; nil if the stage does not exist or runs no program.
    /// - Throws: ``CallbackError`` if the request is impossible.
    package func command(
        of kind: ProgramStage.Kind, at position: Int, in identity: String, for request: Request?, socket: String
    ) throws(CallbackError) -> ChildCommand? {
        guard var admitted = request else {
            let route = pipeline.routes.first { areEqual($0.identity, identity) }
            return route?.program(of: kind, at: position)?.receiverCommand(at: socket)
        }
        let route = try pipeline.admit(&admitted, to: identity, isDecoded: kind != .middleware)
        guard let program = route?.program(of: kind, at: position) else { return nil }
        if case .receiver = program.use { return nil }
        return try program.command(for: admitted)
    }
}

extension Route {
    /// Returns the program of the stage at a position; nil if it runs only as the daemon's own child.
    fileprivate func program(of kind: ProgramStage.Kind, at position: Int) -> Program? {
        let programs: [Program?]
        switch kind {
        case .middleware:
            programs = stages.middleware.map { stage in
                guard case .asynchronous(let stage as any ProgramOwner) = stage.stage else { return nil }
                return stage.program
            }
        case .policy: programs = stages.asyncPolicies.map { ($0.stage as? any ProgramOwner)?.program }
        case .handler:
            switch stages.handler.stage {
            case .asynchronous(let handler as any ProgramOwner): programs = [handler.program]
            case .delivering(let handler as DeliverHandler): programs = [handler.program]
            case .immediate, .asynchronous, .delivering: programs = []
            }
        }
        return programs.lazy.compactMap(\.self).first { $0.stage.position == position && !$0.isOwnChild }
    }
}

extension Program {
    /// Runs the program to decide on a request; status 0 accepts it.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - policy: The name of the policy.
    ///   - refusal: Returns the response for another status, given the error in the last line of standard error; nil if the
    ///     program has made no decision.
    /// - Returns: The response that ends the request; nil if the request is accepted.
    func decide(
        on request: Request, for policy: String, _ refusal: (Int32, CallbackError?) -> Response?
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
            "a policy failed", ["policy": "\(policy)", "error": "\(reason)"], cause: reason, for: request, on: loop)
        return .error(.failure(of: policy))
    }
}
