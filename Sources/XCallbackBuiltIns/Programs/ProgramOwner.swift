import XCallbackBytes
package import XCallbackEventLoop
package import XCallbackPipeline
package import XCallbackPrograms
package import XCallbackURL

/// A stage that runs programs.
protocol ProgramOwner: Sendable {
    /// Its position among the stages of its kind that its route has.
    var position: Int { get }

    /// Makes the command of its program for whatever runs it in the place of the daemon.
    ///
    /// - Parameters:
    ///   - request: What the program is run for; nil for one that is started to receive.
    ///   - socket: Where such a one can connect.
    /// - Returns: The command; nil if the stage runs no program then, or only as the daemon's own child.
    /// - Throws: ``CallbackError`` if no command can be made of the request.
    func command(for request: Request?, socket: String) throws(CallbackError) -> ChildCommand?
}

/// A stage that runs a program for each request.
protocol RequestProgramOwner: ProgramOwner {
    /// The program.
    var program: Program { get }
    /// Whether its standard output is wanted.
    var keepsOutput: Bool { get }
    /// Whether it lives on its own.
    var isDetached: Bool { get }
}

extension RequestProgramOwner {
    /// It does not.
    var isDetached: Bool { false }
    /// It is not.
    var keepsOutput: Bool { false }
    var position: Int { program.stage.position }

    func command(for request: Request?, socket: String) throws(CallbackError) -> ChildCommand? {
        guard let request, !program.isOwnChild else { return nil }
        return try program.command(for: request, keepsOutput: keepsOutput, isDetached: isDetached)
    }
}

extension RouterConfiguration {
    /// Makes the command of a program from where the configuration names it, whoever asks for it.
    ///
    /// The request is checked as if whoever has it could lie: against the route's pattern, its captures and its input. No
    /// other check of the route is made, because policies have been asked by then.
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
        guard var admitted = request else {
            let route = pipeline.routes.first { areEqual($0.identity, identity) }
            return try route?.programOwner(kind, at: position)?.command(for: nil, socket: socket)
        }
        let route = try pipeline.admit(&admitted, to: identity, isDecoded: kind != .middleware)
        return try route?.programOwner(kind, at: position)?.command(for: admitted, socket: socket)
    }
}

extension Route {
    /// The stage at a place, if it runs a program.
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
