import XCallbackConfiguration
import XCallbackPipeline
import XCallbackURL

/// Publishes the parameters of each request to a topic, and returns the number of subscribers reached:
/// `publish: saved`.
struct PublishHandler: PublishingHandler, ConfiguredStage {
    static var traits: StageTraits { .hasReceivers }

    let topic: String

    init?(_ source: StageSource) {
        guard let topic = source.clientName("the name of a topic") else { return nil }
        self.topic = topic
    }

    func handle(_ request: Request, _ state: inout PipelineState) -> Response {
        do throws(CallbackError) {
            let count = try state.publisher?.publish(request, to: topic) ?? 0
            state.reachedCount += count
            return .success(["reached": String(count)])
        } catch {
            return .error(error)
        }
    }
}

extension PublishHandler: ExplainedStage {
    func plan(for request: Request) -> StagePlan { StagePlan("all subscribers of \(topic.quoted) get the parameters") }
}

extension PublishHandler: HandlerOfCertainItems {
    var certainItems: [ReturnedItem]? { [ReturnedItem(name: "reached", type: .integer)] }
}
