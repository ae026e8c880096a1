package import XCallbackEventLoop
package import XCallbackPrograms
import XCallbackRouter
import XCallbackURL
package import XCallbackWire

/// A stage that runs a program, or can.
protocol ProgramOwner: Sendable {
    /// The program; nil if the configuration gives it none.
    var ownProgram: Program? { get }
}

extension RouterConfiguration {
    /// Makes the command of a program from its position in the configuration, for any caller.
    ///
    /// The request is checked as if the caller could lie: against the route's pattern, its captures, and its input. The
    /// route's other checks are not repeated, because its policies have already run.
    ///
    /// - Parameters:
    ///   - call: The position and the request, if the program does not start to receive.
    ///   - socket: The socket for a program that is started to receive.
    /// - Returns: The command.
    /// - Throws: ``VarlinkError`` if the stage does not exist or runs no program, or if the request is impossible.
    package func command(for call: ProgramServerCall, socket: String) throws(VarlinkError) -> ChildCommand {
        let identity = call.route.identity
        guard var admitted = call.request else {
            let route = pipeline.routes.first { areEqual($0.identity, identity) }
            guard let command = route?.program(of: call)?.receiverCommand(at: socket) else { throw .noSuchProgram }
            return command
        }
        do throws(CallbackError) {
            let route = try pipeline.admit(&admitted, to: identity, isDecoded: call.kind != .middleware)
            if let program = route?.program(of: call), !program.isReceiver { return try program.command(for: admitted) }
        } catch {
            throw .requestRefused(error)
        }
        throw .noSuchProgram
    }
}

extension Route {
    /// Returns the program of the stage at a position; nil if it runs only as the daemon's own child.
    fileprivate func program(of call: ProgramServerCall) -> Program? {
        let candidates: [any Stage] =
            switch call.kind {
            case .middleware: stages.middleware.map(\.stage.planned)
            case .policy: stages.asyncPolicies.map(\.stage)
            case .handler: [stages.handler.stage.planned]
            }
        return candidates.lazy.compactMap { ($0 as? any ProgramOwner)?.ownProgram }
            .first { $0.stage.position == call.position && !$0.stage.isOwnChild }
    }
}
