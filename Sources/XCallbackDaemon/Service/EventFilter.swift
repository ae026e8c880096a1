import XCallbackJSON
import XCallbackPipeline

/// Which requests and answers one who watches wants to see: those that all of it is true of.
struct EventFilter {
    /// The scheme and the pattern of the route.
    let route: String?
    /// Who has sent the request.
    let userID: Int?
    /// The process that has sent it.
    let processID: Int?
    /// What it has ended in; a request that waits has not.
    let outcome: String?

    /// Reads the parameters of `Monitor`.
    init(_ parameters: JSONValue) {
        // A number that no integer can hold is that of nobody.
        func number(_ name: String) -> Int? { parameters.hasValue(name) ? parameters[name]?.integer ?? -1 : nil }
        route = parameters["route"]?.text
        userID = number("user")
        processID = number("process")
        outcome = parameters["outcome"]?.text
    }

    /// Whether an event is one of these.
    func admits(_ event: RequestEvent) -> Bool {
        (route == nil || route == event.route) && (userID == nil || userID == Int(event.peer.userID))
            && (processID == nil || processID == Int(event.peer.processID))
            && (outcome == nil || outcome == event.outcome)
    }
}
