import XCallbackPipeline

/// Selects the requests and answers that a watcher receives: those that match every given field.
struct EventFilter {
    /// The scheme and the pattern of the route.
    let route: String?
    /// The user who sent the request.
    let userID: Int?
    /// The process that sent the request.
    let processID: Int?
    /// The outcome of the request; a request in progress has none.
    let outcome: Response.Kind?

    /// Whether an event matches the filter.
    func admits(_ event: RequestEvent) -> Bool {
        (route == nil || route == event.route) && (userID == nil || userID == Int(event.peer.userID))
            && (processID == nil || processID == Int(event.peer.processID))
            && (outcome == nil || outcome == event.outcome)
    }
}
