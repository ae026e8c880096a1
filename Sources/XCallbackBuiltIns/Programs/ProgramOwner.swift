package import XCallbackEventLoop
package import XCallbackPipeline
package import XCallbackURL

/// A stage that runs a program for requests.
protocol ProgramOwner {
    /// The program.
    var program: Program { get }
    /// Whether its standard output is wanted.
    var keepsOutput: Bool { get }
    /// Whether it lives on its own.
    var isDetached: Bool { get }
}

extension ProgramOwner {
    /// It does not.
    var isDetached: Bool { false }
    /// It is not.
    var keepsOutput: Bool { false }
}

extension RouterConfiguration {
    /// Makes the command of a program from where the configuration names it, whoever asks for it.
    ///
    /// A program that its route wants as the daemon's own child is none for anybody else. The request is checked as if whoever has it could lie: against the route's pattern, its captures and its input.
    /// No other check of the route is made, as policies have been asked by then.
    ///
    /// - Parameters:
    ///   - kind: What the stage is.
    ///   - position: Its position among the stages of its kind.
    ///   - identity: What tells the route from the others (``Route/identity``).
    ///   - request: What the program is run for; nil for one that is started to receive.
    ///   - socket: Where such a one can connect.
    /// - Returns: The command; nil if the configuration names no program there.
    /// - Throws: ``CallbackError`` if there can be no such request.
    package func command(
        of kind: ProgramStage.Kind, at position: Int, in identity: String, for request: Request?, socket: String
    ) throws(CallbackError) -> ChildCommand? {
        guard var request else {
            guard kind == .handler, position == 0,
                let route = pipeline.routes.first(where: { $0.identity == identity }),
                case .asynchronous(let handler as DeliverHandler) = route.stages.handler
            else { return nil }
            return handler.activation?.command(toReceiveAs: handler.name, at: socket)
        }
        guard let route = try pipeline.admit(&request, to: identity, isDecoded: kind != .middleware),
            let owner = route.programOwner(kind, at: position), !owner.program.isOwnChild
        else { return nil }
        return try owner.program.command(
            for: request, keepsOutput: owner.keepsOutput, isDetached: owner.isDetached)
    }
}

extension Route {
    /// The stage at a place, if it runs a program.
    fileprivate func programOwner(_ kind: ProgramStage.Kind, at position: Int) -> (any ProgramOwner)? {
        var stages: [any Sendable] = []
        switch kind {
        case .middleware:
            for case .asynchronous(let middleware) in self.stages.middleware { stages.append(middleware) }
        case .policy: stages = self.stages.asyncPolicies
        case .handler: if case .asynchronous(let handler) = self.stages.handler { stages.append(handler) }
        }
        return stages.lazy.compactMap { $0 as? any ProgramOwner }.first { $0.program.stage.position == position }
    }
}
