import XCallbackPipeline
import XCallbackURL

extension Router {
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
    /// The task of a request is cancelled when its caller leaves, its limit expires, or the daemon goes away. If a reload
    /// of the configuration drops the name, serving goes on when the name is back.
    ///
    /// - Parameters:
    ///   - name: The name.
    ///   - client: The daemon.
    ///   - count: How many requests are answered at a time; those that were cancelled do not count.
    /// - Throws: ``ClientError`` if the name cannot be received; `CancellationError`.
    public func serve(as name: String, through client: Client = .shared, concurrently count: Int = 4) async throws {
        // Two programs that call each other would wait in vain if their calls left no connection for responses.
        let client = Client(beside: client, limit: max(count, 1))
        try await withThrowingTaskGroup { group in
            for _ in 0..<max(count, 1) {
                group.addTask {
                    // Without its caller, or without the daemon, nothing is left of a request.
                    try await client.serve(as: name, isExclusive: false, rejected: { _ in }) {
                        await self.response(to: $0)
                    }
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
