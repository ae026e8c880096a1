public import XCallbackClient
import XCallbackPipeline
import XCallbackURL

extension Router {
    /// Whether a router that is served is reached.
    public enum ServingState: Hashable, Sendable {
        /// The daemon delivers to it.
        case serving
        /// It waits: there is no daemon, or its configuration does not deliver to the name. Both may be there soon.
        case waiting(ClientError)
    }

    /// Answers what the daemon delivers to a name, until the task is cancelled.
    ///
    /// The configuration of the daemon has the routes that deliver to it, which are to lead to routes of this router:
    ///
    /// ```yaml
    /// routes:
    ///   - route: notes:/notes/:id
    ///     deliver: my-app
    /// ```
    ///
    /// Whether a request from the desktop reaches a route is decided there, by `public`, and not once more here.
    ///
    /// The parameters are those that the daemon has read and checked, and the action is what it has matched. The daemon
    /// decodes them, so that commas part a list only where the route declares one.
    ///
    /// The task of a request is cancelled when its caller leaves, its limit expires, or the daemon goes away. A daemon that is
    /// not there yet, or is restarted, is waited for, and so is a name that its configuration does not have, for example
    /// between two reloads. Several programs can be served as one name: each request goes to one that has time.
    ///
    /// When the task is cancelled, the router gets no more requests, answers those that it has, and this returns.
    ///
    /// - Parameters:
    ///   - name: The name.
    ///   - client: The daemon.
    ///   - count: How many requests are answered at a time; those that were cancelled do not count.
    ///   - observe: Is told whether it is reached, at first and whenever that changes, and why it is not.
    /// - Throws: ``ClientError`` if the daemon does not let the user receive the name, or is no daemon;
    ///   `CancellationError`.
    public func serve(
        as name: String, through client: Client = .shared, concurrently count: Int = 4,
        observing observe: @escaping @Sendable (ServingState) -> Void = { _ in }
    ) async throws {
        // Two programs that call each other would wait in vain if their calls left no connection for responses.
        let client = Client(beside: client, limit: max(count, 1))
        let manner = ServingManner.router(key: String(UInt64.random(in: 0 ... .max), radix: 36))
        let watch = ServingWatch(observe)
        try await withThrowingTaskGroup { group in
            for stream in 0..<max(count, 1) {
                group.addTask {
                    // Without its caller, or without the daemon, nothing is left of a request.
                    try await client.serve(
                        as: name, manner, watcher: { watch.note($0, of: stream) }, rejected: { _ in }
                    ) { await self.response(to: $0) }
                }
            }
            // The first error ends the others.
            while try await group.next() != nil {}
        }
    }

    private func response(to request: Client.ReceivedRequest) async -> Response {
        do {
            let url = try ActionURL(of: request)
            let response = await answer(Array(url.received.utf8), from: request.peer, request.origin, isAdmitted: true)
                .response
            guard case .redirect = response else { return response }
            return .error(CallbackError(.internalFailure, "A receiver cannot redirect a request."))
        } catch {
            return .error(error.callbackError)
        }
    }
}

extension ActionURL {
    /// The URL of a request, with the parameters as the daemon has read them.
    fileprivate init(of request: Client.ReceivedRequest) throws(ActionURLError) {
        var items = request.parameters
        if let source = request.source { items.append("x-source", source) }
        let scheme = String(request.route.prefix { $0 != ":" })
        let action = try ActionURL("\(scheme)://x-callback-url\(request.action)")
        try self.init(scheme: scheme, segments: action.segments, items: items)
    }
}
