import XCallbackConfiguration
import XCallbackRouter
import XCallbackURL

/// Publishes the parameters of each request to a topic, and returns the number of subscribers reached:
/// `publish: saved`.
struct PublishHandler: Handler, ConfiguredStage {
    static let keys = ["receivers"]

    private let topic: String

    init?(_ source: StageSource) {
        guard let topic = source.clientName("the name of a topic") else { return nil }
        self.topic = topic
    }

    func handle(_ request: Request, _ host: any StageHost) -> Response {
        do throws(CallbackError) {
            return .success(["reached": String(try host.publish(request, to: topic))])
        } catch {
            return .error(error)
        }
    }

    var facts: StageFacts {
        StageFacts {
            $0.clientName = topic
            $0.returns = [ReturnedItem(name: "reached", type: .integer)]
        }
    }

    func plan(for request: Request) -> StagePlan { StagePlan("all subscribers of \(topic.quoted) get the parameters") }
}
