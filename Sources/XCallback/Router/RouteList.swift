public import XCallbackRouter

/// The routes of a ``Router`` while they are being added, and the middleware and policies before them.
///
///     let router = try Router(scheme: "notes") { router in
///         router.use { request in
///             request.data["started"] = ContinuousClock.now
///             return .proceed
///         }
///         router.route("/notes/:id") { (key: NoteKey) in try await store.note(key.id) }
///         router.group("/admin", policies: [Policy(isAdministrator)]) { admin in
///             admin.route("/reset") { try await store.reset() }
///         }
///     }
///
/// Patterns follow Express 5: `/notes/:id`, `/files/*path`, `/notes{/:id}`. The most specific route answers, in any
/// order of the routes; two routes that answer the same URL are an error.
///
/// Functions run off the actor of the router's caller. A function that belongs to an actor, such as `@MainActor`, runs
/// on its actor.
public struct RouteList {
    /// An added route.
    struct Entry {
        let scheme: String
        /// The patterns of the enclosing groups, outermost first, and of the route.
        let patterns: [String]
        let isPublic: Bool
        var options: RouteOptions
        var middleware: [Route.MiddlewareStage] = []
        var policies: [Policy]
        let handler: any HostedHandler
    }

    private let scheme: String
    private var prefix: [String] = []
    private var isPublic = false
    private(set) var middleware: [Route.MiddlewareStage] = []
    private var policies: [Policy] = []
    private var entries: [Entry] = []
    /// The format of the values of typed handlers.
    let style: QueryStyle
    /// Receives the requests that are published to events.
    let hub: EventHub

    init(scheme: String, style: QueryStyle, hub: EventHub) {
        self.scheme = scheme
        self.style = style
        self.hub = hub
    }

    private init(in list: RouteList, _ scheme: String?, _ prefix: String, isPublic: Bool?, _ policies: [Policy]) {
        self.scheme = scheme?.lowercased() ?? list.scheme
        self.prefix = list.prefix + [prefix]
        self.isPublic = isPublic ?? list.isPublic
        self.policies = policies
        style = list.style
        hub = list.hub
    }

    /// The routes, with the middleware and policies that apply to all of them.
    var finished: [Entry] {
        entries.map { entry in
            var entry = entry
            entry.middleware = middleware + entry.middleware
            entry.policies = policies + entry.policies
            return entry
        }
    }

    /// Adds middleware before all routes of the router or the group, in the order of the calls.
    ///
    /// The middleware of a router also sees requests that no route answers.
    public mutating func use(_ middleware: any AsyncMiddleware) {
        self.middleware.append(.asynchronous(MiddlewareObject(object: middleware)))
    }

    /// Adds a function before all routes of the router or the group, in the order of the calls.
    ///
    /// - Parameter receive: Can change the parameters and the data of the request, or answer it at once. An error that it
    ///   throws ends the request like an error of a handler.
    public mutating func use(_ receive: @escaping @Sendable (inout Request) throws -> MiddlewareResult) {
        middleware.append(.immediate(MiddlewareFunction(body: receive)))
    }

    /// Adds an async function before all routes of the router or the group, in the order of the calls.
    ///
    /// - Parameter receive: Can change the parameters and the data of the request, or answer it at once. It runs off
    ///   the caller's actor, unless it belongs to an actor. An error that it throws ends the request like an error of a
    ///   handler.
    public mutating func use(
        _ receive: @concurrent @escaping @Sendable (inout Request) async throws -> MiddlewareResult
    ) {
        middleware.append(.asynchronous(AsyncMiddlewareFunction(body: receive)))
    }

    /// Adds a policy before all routes of the router or the group; the first policy that fails ends the request.
    public mutating func require(_ policy: Policy) {
        policies.append(policy)
    }

    /// Adds routes that share the start of their pattern, and the middleware and policies before them.
    ///
    /// - Parameters:
    ///   - prefix: The start of their patterns.
    ///   - scheme: Their scheme; nil for that of the router.
    ///   - isPublic: Whether requests from the desktop, and so possibly from a web page, reach them; nil for the value
    ///     of the enclosing group.
    ///   - policies: The policies that can reject a request.
    ///   - body: Adds the routes.
    public mutating func group(
        _ prefix: String = "/", scheme: String? = nil, isPublic: Bool? = nil,
        policies: [Policy] = [], _ body: (inout RouteList) throws -> Void
    ) rethrows {
        var group = RouteList(in: self, scheme, prefix, isPublic: isPublic, policies)
        try body(&group)
        entries += group.finished
    }

    /// Gives the last route the texts of its action.
    mutating func describe(as action: some Action) {
        entries[entries.count - 1].options.types.title = action.title
        entries[entries.count - 1].options.types.description = action.description
    }

    /// Adds routes below a prefix; the middleware and policies are before all routes of this list.
    mutating func below(_ prefix: String, _ body: (inout RouteList) throws -> Void) rethrows {
        let outer = self.prefix
        self.prefix += [prefix]
        defer { self.prefix = outer }
        try body(&self)
    }

    /// Adds a route.
    mutating func add(_ pattern: String, _ options: RouteOptions, to handler: any HostedHandler) {
        entries.append(
            Entry(
                scheme: scheme, patterns: prefix + [pattern], isPublic: options.isPublic ?? isPublic, options: options,
                policies: options.policies, handler: handler))
    }
}

/// What a route has besides its pattern and its handler.
struct RouteOptions {
    let isPublic: Bool?
    let policies: [Policy]
    let file: String
    let line: Int
    var types: RouteTypes

    init(
        _ isPublic: Bool?, _ policies: [Policy], _ file: StaticString, _ line: Int,
        _ types: RouteTypes = RouteTypes(inputs: nil, output: nil)
    ) {
        self.isPublic = isPublic
        self.policies = policies
        self.file = "\(file)"
        self.line = line
        self.types = types
    }
}

/// Middleware that is a function.
private struct MiddlewareFunction: Middleware {
    let body: @Sendable (inout Request) throws -> MiddlewareResult

    func receive(_ request: inout Request, _ host: any StageHost) -> MiddlewareResult {
        do {
            return try body(&request)
        } catch {
            return .answer(Response(of: error))
        }
    }
}

/// Middleware that is an async function.
private struct AsyncMiddlewareFunction: HostedMiddleware {
    let body: @concurrent @Sendable (inout Request) async throws -> MiddlewareResult

    func receive(_ request: inout Request, _ host: any StageHost) async -> MiddlewareResult {
        do {
            return try await body(&request)
        } catch {
            return .answer(Response(of: error))
        }
    }
}

/// Middleware that is an object of the application.
private struct MiddlewareObject: HostedMiddleware {
    let object: any AsyncMiddleware

    func receive(_ request: inout Request, _ host: any StageHost) async -> MiddlewareResult {
        do {
            return try await object.receive(&request)
        } catch {
            return .answer(Response(of: error))
        }
    }

    func finish(_ request: Request, _ response: inout Response, _ host: any StageHost) async {
        await object.finish(request, &response)
    }
}
