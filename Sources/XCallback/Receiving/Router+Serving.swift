import Glibc
import Synchronization
public import XCallbackClient
import XCallbackRouter
import XCallbackURL

extension Router {
    /// A signal that ends a program.
    public enum EndingSignal: Sendable {
        /// From a service manager, or `kill`.
        case sigterm
        /// From a terminal: Ctrl-C.
        case sigint
    }

    /// The state of a router that is being served.
    public enum ServingState: Hashable, Sendable {
        /// The daemon delivers requests to it.
        case serving
        /// It waits: there is no daemon, or its configuration does not deliver to the name. Both can change soon.
        case waiting(ClientError)
        /// It serves, although the daemon's configuration has other types than the router for these parameters.
        case differing([String])
    }

    /// Answers the requests that the daemon delivers to a name, until the task is cancelled or a signal arrives.
    ///
    /// The daemon's configuration has the routes that deliver to the name; their URLs must match routes of this router:
    ///
    /// ```yaml
    /// routes:
    ///   - route: notes:/notes/:id
    ///     deliver: my-app
    /// ```
    ///
    /// `public` in the configuration determines whether requests from the desktop reach a route; the router does not
    /// check it again. If a handler redirects such a request to another action of the router, that action must be public.
    /// No action answers a redirected request of an assistant.
    ///
    /// The daemon has already read and checked the parameters, and matched the action. It also decodes the parameters,
    /// so commas are list separators only where the route declares a list.
    ///
    /// The task of a request is cancelled when its caller leaves, it times out, or the daemon goes away. If the daemon
    /// is not running yet or is restarted, or if its configuration temporarily lacks the name, for example between two
    /// reloads, the router waits. Several programs can serve the same name: each request goes to one that is available.
    ///
    /// When the task is cancelled or one of the signals arrives, the router gets no more requests, answers those it has,
    /// and this function returns. A second signal ends the process at once.
    ///
    /// - Parameters:
    ///   - name: The name.
    ///   - client: The daemon.
    ///   - count: The maximum number of requests in progress: 1 to 64. Requests of this process itself come on top.
    ///   - signals: The signals that end serving; any of them ends that of all routers of the process that name it.
    ///   - observe: Receives the state at first and after each change, including the reason for waiting; nil to write types
    ///     that differ to standard error.
    /// - Throws: ``ClientError`` if the user may not receive as the name, or if the server is not a daemon.
    public func serve(
        as name: String, through client: Client = .shared, concurrently count: Int = 16,
        endingOn signals: EndingSignal..., observing observe: (@Sendable (ServingState) -> Void)? = nil
    ) async throws {
        precondition((1...64).contains(count), "a router serves 1 to 64 requests at a time")
        // Two programs that call each other would deadlock if their calls used all connections needed for responses.
        let client = Client(beside: client, limit: 1)
        let last = Mutex<ServingState?>(nil)
        let report = { @Sendable (state: ServingState) in
            let isNew = last.withLock { last in
                defer { last = state }
                return last != state
            }
            guard isNew else { return }
            if let observe { return observe(state) }
            guard case .differing = state else { return }
            let text = Array("\(name): \(state)\n".utf8)
            _ = text.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
        }
        let serving = Task {
            try await client.serve(
                as: name,
                .router(concurrentRequests: count, typed: typedRoutes) { differences in
                    report(differences.isEmpty ? .serving : .differing(differences))
                },
                watcher: { error in report(error.map { .waiting($0) } ?? .serving) },
                // Without its caller or the daemon, a request has ended.
                rejected: { self.onError?($0, Request(of: $1)) }
            ) { await self.response(to: $0, client.progressReceiver(ofRequest: $0.id)) }
        }
        defer { serving.cancel() }
        let watch = try SignalWatch(signals.map { $0 == .sigterm ? SIGTERM : SIGINT }) { serving.cancel() }
        defer { withExtendedLifetime(watch) {} }
        try await withTaskCancellationHandler {
            try await serving.value
        } onCancel: {
            serving.cancel()
        }
    }

    private func response(
        to request: Client.ReceivedRequest, _ progressReceiver: any ProgressReceiver
    ) async -> Response {
        do {
            // Only the parameters of a callback URL can have another form than in the URL.
            let isCallback = syntax(of: request.url) == .callback
            let url = isCallback ? try ActionURL(of: request).received : request.url
            let response = await answer(
                Array(url.utf8), from: request.peer, request.origin, isAdmitted: true,
                progressReceiver: progressReceiver
            ).response
            guard case .redirect = response else { return response }
            return .error(CallbackError(.internalFailure, "A receiver cannot redirect a request."))
        } catch {
            return .error(error.callbackError)
        }
    }
}

extension Request {
    /// Creates the request that the daemon delivered.
    fileprivate init(of received: Client.ReceivedRequest) {
        self.init(peer: received.peer, origin: received.origin)
        url = (try? ActionURL(of: received)) ?? ActionURL()
        parameters = received.parameters
    }
}

extension ActionURL {
    /// Creates the URL of a request, with the parameters as the daemon has read them.
    fileprivate init(of request: Client.ReceivedRequest) throws(ActionURLError) {
        var items = request.parameters
        if let source = request.source { items.append("x-source", source) }
        let scheme = String(request.route.prefix { $0 != ":" })
        let action = try ActionURL("\(scheme)://x-callback-url\(request.action)")
        try self.init(scheme: scheme, segments: action.segments, items: items)
    }
}

extension Router.ServingState: CustomStringConvertible {
    /// `serving`, the reason for waiting, or the differences.
    public var description: String {
        switch self {
        case .serving: "serving"
        case .waiting(let error): "waiting: \(error)"
        case .differing(let differences): differences.joined(separator: "\n")
        }
    }
}
