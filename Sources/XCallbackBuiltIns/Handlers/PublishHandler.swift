import XCallbackConfiguration
package import XCallbackPipeline
import XCallbackURL

/// Publishes the parameters of each request to a topic, and answers how many subscribers it reaches: `publish: saved`.
package struct PublishHandler: Handler {
    /// The topic.
    package let topic: String
    /// Who may subscribe.
    package let rule: ReceiverRule

    init?(_ source: StageSource) {
        rule = source.receivers ?? ReceiverRule([])
        guard let topic = source.clientName("the name of a topic") else { return nil }
        self.topic = topic
    }

    package func handle(_ request: Request, _ state: inout PipelineState) -> Response {
        let count = state.publisher?.publish(request.parameters, to: topic) ?? 0
        return .success(["reached": String(count)])
    }
}

extension PublishHandler: RehearsedStage {
    /// Publishes nothing.
    package func rehearse(_ request: inout Request, _ state: inout PipelineState) -> Rehearsal {
        Rehearsal(.open, notes: ["all who subscribe to \(topic.quoted) get the parameters"])
    }
}
