import XCallbackURL

/// A stage behind a reference: the walk calls it without a copy, whatever the stage holds.
///
/// Chains of these are composed when the route is made.
final class StageReference<Stage: Sendable>: Sendable {
    private let stage: Stage

    init(_ stage: Stage) {
        self.stage = stage
    }
}

extension StageReference: Middleware where Stage: Middleware {
    func receive(_ request: inout Request, _ state: inout PipelineState) -> Step {
        stage.receive(&request, &state)
    }

    func finish(_ request: Request, _ response: inout Response, _ state: inout PipelineState) {
        stage.finish(request, &response, &state)
    }
}

extension StageReference: Policy where Stage: Policy {
    func verify(_ request: Request, _ state: inout PipelineState) -> Verdict {
        stage.verify(request, &state)
    }
}

extension StageReference: Handler where Stage: Handler {
    func handle(_ request: Request, _ state: inout PipelineState) -> Response {
        stage.handle(request, &state)
    }
}

extension Middleware {
    /// The stage behind a reference.
    var reference: any Middleware & AnyObject { StageReference(self) }
}

extension Policy {
    /// The stage behind a reference.
    var reference: any Policy & AnyObject { StageReference(self) }
}

extension Handler {
    /// The stage behind a reference.
    var reference: any Handler & AnyObject { StageReference(self) }
}
