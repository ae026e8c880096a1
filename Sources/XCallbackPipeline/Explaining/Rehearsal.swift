/// What a stage would do with a request, told without doing it.
package struct Rehearsal: Sendable {
    /// How the request would go on.
    package enum Outcome: Sendable {
        /// The next stage would be asked.
        case proceeds
        /// The request would end here.
        case ends(Response)
        /// Only a real request shows it: a program, a person or another process decides.
        case open
    }

    /// How the request would go on.
    package let outcome: Outcome
    /// What there is to say about it, each in a few words for people.
    package let notes: [String]
    /// What there is to say to those alone who may know the configuration.
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

/// A stage that rehearses by itself: an async one, or one that touches anything beside the request and the pipeline's state.
///
/// Any other stage is rehearsed by asking it, with a copy of the state. An async stage that does not rehearse itself is not asked
/// at all, and what it would do is open.
package protocol RehearsedStage: Sendable {
    /// Tells what the stage would do.
    ///
    /// It starts nothing, asks nobody, writes no log and compares no secret.
    ///
    /// - Parameters:
    ///   - request: The request; a middleware may change its parameters and data, as it would.
    ///   - state: A copy of what stages remember, so that nothing is spent.
    /// - Returns: What the stage would do.
    func rehearse(_ request: inout Request, _ state: inout PipelineState) -> Rehearsal

    /// Changes the response as the stage would on the way out; only a middleware is asked.
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
    /// What a policy would do that has decided.
    ///
    /// - Parameters:
    ///   - verdict: What it has decided.
    ///   - notes: What there is to say about it, each in a few words for people.
    ///   - hiddenNotes: The same for those alone who may know the configuration.
    package init(_ verdict: Verdict, notes: [String] = [], hiddenNotes: [String] = []) {
        switch verdict {
        case .verified: self.init(.proceeds, notes: notes)
        case .failed(let error): self.init(.ends(.error(error)), notes: notes)
        }
        self.hiddenNotes = hiddenNotes
    }

    /// What an async stage would do is not known without running it.
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
