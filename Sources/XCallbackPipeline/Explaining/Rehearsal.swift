/// The expected result of a stage for a request, determined without running the stage.
package struct Rehearsal: Sendable {
    /// How the request would continue.
    package enum Outcome: Sendable {
        /// The next stage would run.
        case proceeds
        /// The request would end here.
        case ends(Response)
        /// Unknown until a real request: a program, a person, or another process decides.
        case open
    }

    /// How the request would continue.
    package let outcome: Outcome
    /// Notes, each in a few words.
    package let notes: [String]
    /// Notes only for readers who may see the configuration.
    package var hiddenNotes: [String] = []
    /// The program that would run, with its arguments.
    package let command: [String]?

    /// Creates a rehearsal.
    package init(_ outcome: Outcome, notes: [String] = [], command: [String]? = nil) {
        self.outcome = outcome
        self.notes = notes
        self.command = command
    }
}

/// A stage that rehearses itself: it is async, or accesses something outside the request and the pipeline's state.
///
/// Any other stage is rehearsed by running it with a copy of the state. An async stage that does not rehearse itself
/// does not run, and its result is unknown.
package protocol RehearsedStage: Sendable {
    /// Determines the expected result of the stage.
    ///
    /// It starts nothing, asks no user, writes no log, and compares no secret.
    ///
    /// - Parameters:
    ///   - request: The request; a middleware changes its parameters and data as it would.
    ///   - state: A copy of the memory of the stages, so that no quota is used up.
    /// - Returns: The expected result of the stage.
    func rehearse(_ request: inout Request, _ state: inout PipelineState) -> Rehearsal

    /// Changes the response as the stage would on the way out; called only for middleware.
    ///
    /// - Parameters:
    ///   - request: The request as the stages left it.
    ///   - response: The response; it may be changed.
    func rehearseFinish(_ request: Request, _ response: inout Response)
}

extension RehearsedStage {
    /// Leaves the response as it is.
    package func rehearseFinish(_ request: Request, _ response: inout Response) {}
}

extension Rehearsal {
    /// Creates the rehearsal of a policy that has decided.
    ///
    /// - Parameters:
    ///   - verdict: The policy's decision.
    ///   - notes: Notes, each in a few words.
    ///   - hiddenNotes: Notes only for readers who may see the configuration.
    package init(_ verdict: Verdict, notes: [String] = [], hiddenNotes: [String] = []) {
        switch verdict {
        case .verified: self.init(.proceeds, notes: notes)
        case .failed(let error): self.init(.ends(.error(error)), notes: notes)
        }
        self.hiddenNotes = hiddenNotes
    }

    /// The result of an async stage is unknown without running it.
    private static let unknown = Rehearsal(.open, notes: ["it is async and does not run now"])

    /// Rehearses a middleware.
    init(of stage: Route.MiddlewareStage, _ request: inout Request, _ state: inout PipelineState) {
        switch stage {
        case .immediate(let stage as any RehearsedStage): self = stage.rehearse(&request, &state)
        case .asynchronous(let stage as any RehearsedStage): self = stage.rehearse(&request, &state)
        case .immediate(let stage):
            switch stage.receive(&request, &state) {
            case .proceed: self.init(.proceeds)
            case .answer(let response): self.init(.ends(response))
            }
        case .asynchronous: self = .unknown
        }
    }

    /// Rehearses a policy.
    init(of stage: Route.PolicyStage, _ request: Request, _ state: inout PipelineState) {
        var request = request
        switch stage {
        case .immediate(let stage as any RehearsedStage): self = stage.rehearse(&request, &state)
        case .looking(let stage as any RehearsedStage): self = stage.rehearse(&request, &state)
        case .immediate(let stage): self.init(stage.verify(request, &state))
        case .looking(let stage): self.init(stage.rehearsedVerdict(request, state.peers))
        }
    }

    /// Rehearses an async policy.
    init(of policy: any AsyncPolicy, _ request: Request, _ state: inout PipelineState) {
        var request = request
        self = (policy as? any RehearsedStage)?.rehearse(&request, &state) ?? .unknown
    }

    /// Rehearses a handler.
    init(of stage: Route.HandlerStage, _ request: Request, _ state: inout PipelineState) {
        var request = request
        switch stage {
        case .immediate(let stage as any RehearsedStage): self = stage.rehearse(&request, &state)
        case .asynchronous(let stage as any RehearsedStage): self = stage.rehearse(&request, &state)
        case .delivering(let stage as any RehearsedStage): self = stage.rehearse(&request, &state)
        case .immediate(let stage): self.init(.ends(stage.handle(request, &state)))
        case .asynchronous, .delivering: self = .unknown
        }
    }
}

extension Route.MiddlewareStage {
    /// Changes the response as the middleware would on the way out.
    func rehearseFinish(_ request: Request, _ response: inout Response, _ state: inout PipelineState) {
        switch self {
        case .immediate(let stage as any RehearsedStage): stage.rehearseFinish(request, &response)
        case .asynchronous(let stage as any RehearsedStage): stage.rehearseFinish(request, &response)
        case .immediate(let stage): stage.finish(request, &response, &state)
        case .asynchronous: break
        }
    }
}
