import XCallbackBytes
package import XCallbackEventLoop
package import XCallbackPipeline
package import XCallbackPrograms
package import XCallbackURL

/// A stage that runs programs.
protocol ProgramOwner: Sendable {
    /// The position among the route's stages of the same kind.
    var position: Int { get }

    /// Makes the command of the stage's program for a runner other than the daemon.
    ///
    /// - Parameters:
    ///   - request: The request to run the program for; nil for a program that is started to receive.
    ///   - socket: The socket for a program that is started to receive.
    /// - Returns: The command; nil if the stage runs no program in this case, or only as the daemon's own child.
    /// - Throws: ``CallbackError`` if the request has no valid command.
    func command(for request: Request?, socket: String) throws(CallbackError) -> ChildCommand?
}

/// A stage that runs a program for each request.
protocol RequestProgramOwner: ProgramOwner {
    /// The program.
    var program: Program { get }
    /// Whether the standard output is needed.
    var keepsOutput: Bool { get }
    /// Whether the program is detached.
    var isDetached: Bool { get }
}

extension RequestProgramOwner {
    /// Not detached.
    var isDetached: Bool { false }
    /// Not needed.
    var keepsOutput: Bool { false }
    var position: Int { program.stage.position }

    func command(for request: Request?, socket: String) throws(CallbackError) -> ChildCommand? {
        guard let request, !program.isOwnChild else { return nil }
        return try program.command(for: request, keepsOutput: keepsOutput, isDetached: isDetached)
    }
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
            return try route?.programOwner(kind, at: position)?.command(for: nil, socket: socket)
        }
        let route = try pipeline.admit(&admitted, to: identity, isDecoded: kind != .middleware)
        return try route?.programOwner(kind, at: position)?.command(for: admitted, socket: socket)
    }
}

extension Route {
    /// Returns the stage at a position, if it runs a program.
    fileprivate func programOwner(_ kind: ProgramStage.Kind, at position: Int) -> (any ProgramOwner)? {
        var stages: [any Sendable] = []
        switch kind {
        case .middleware:
            for case .asynchronous(let middleware) in self.stages.middleware.map(\.stage) { stages.append(middleware) }
        case .policy: stages = self.stages.asyncPolicies.map(\.stage)
        case .handler:
            switch self.stages.handler.stage {
            case .asynchronous(let handler): stages = [handler]
            case .delivering(let handler): stages = [handler]
            case .immediate: break
            }
        }
        return stages.lazy.compactMap { $0 as? any ProgramOwner }.first { $0.position == position }
    }
}
