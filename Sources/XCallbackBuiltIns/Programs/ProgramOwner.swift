package import XCallbackEventLoop
package import XCallbackPipeline
package import XCallbackURL
import XCallbackWire

/// The place of a program in the configuration: the stage, and its route.
package struct ProgramStage: Sendable {
    /// The kind of stage.
    package enum Kind: String, Sendable {
        case middleware, policy, handler
    }

    /// The kind of the stage.
    package let kind: Kind
    /// The index among the route's stages of the same kind; 0 for a handler.
    package let position: Int
    /// The identity of the route within the configuration (``Route/identity``).
    package let route: String
    /// The route's scheme and pattern, which contain no values and may be shown.
    package let routeName: String
    /// The paths of the drop-ins of the configuration.
    let files: [String]
}

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
        let candidates: [any Stage] =
            switch kind {
            case .middleware: stages.middleware.map(\.stage.planned)
            case .policy: stages.asyncPolicies.map(\.stage)
            case .handler: [stages.handler.stage.planned]
            }
        return candidates.lazy.compactMap { ($0 as? any ProgramOwner)?.ownProgram }
            .first { $0.stage.position == position && !$0.isOwnChild }
    }
}
