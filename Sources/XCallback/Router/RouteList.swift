public import XCallbackPipeline

/// The routes of a ``Router`` while they are gathered, and what stands before them.
///
///     let router = try Router(scheme: "notes") { router in
///         router.use { request in
///             request.data["started"] = ContinuousClock.now
///             return .proceed
///         }
///         router.route("/notes/:id") { (key: NoteKey) in try await store.note(key.id) }
///         router.group("/admin", policies: [Check(isAdministrator)]) { admin in
///             admin.route("/reset") { try await store.reset() }
///         }
///     }
///
/// A pattern is that of Express 5: `/notes/:id`, `/files/*path`, `/notes{/:id}`. Which route answers depends on how
/// specific they are, not on their order; two that answer the same URL are an error.
///
/// Functions run off the actor of the caller of the router. A function of an actor, such as `@MainActor`, runs on its
/// actor.
public struct RouteList {
    /// A route that was given.
    struct Entry {
        let scheme: String
        /// The pattern, with that of each group around it first.
        let patterns: [String]
        let place: SourcePlace
        let isPublic: Bool
        var middleware: [Route.MiddlewareStage] = []
        var policies: [Check]
        let handler: any AsyncHandler
        /// What it says of itself; nil if that is nothing.
        let about: About?
        /// What the handler reads of the parameters; nil if that is not a type.
        let input: (any (Decodable & SendableMetatype).Type)?
    }

    private let scheme: String
    private let prefix: [String]
    private let isPublic: Bool
    private(set) var middleware: [Route.MiddlewareStage] = []
    private var policies: [Check]
    private var entries: [Entry] = []
    /// How the values of typed handlers are written.
    let style: QueryStyle
    /// Takes what is published to events.
    let hub: EventHub

    init(scheme: String, style: QueryStyle, hub: EventHub) {
        self.scheme = scheme
        self.style = style
        self.hub = hub
        prefix = []
        isPublic = false
        policies = []
    }

    private init(in list: RouteList, _ scheme: String?, _ prefix: String, isPublic: Bool?, _ policies: [Check]) {
        self.scheme = scheme ?? list.scheme
        self.prefix = list.prefix + [prefix]
        self.isPublic = isPublic ?? list.isPublic
        self.policies = policies
        style = list.style
        hub = list.hub
    }

    /// The routes, with what stands before all of them.
    var finished: [Entry] {
        entries.map { entry in
            var entry = entry
            entry.middleware = middleware + entry.middleware
            entry.policies = policies + entry.policies
            return entry
        }
    }

    /// Puts middleware before all routes of the router or the group, in the order of the calls.
    ///
    /// That of a router also sees requests that no route answers.
    public mutating func use(_ middleware: any AsyncMiddleware) {
        self.middleware.append(.asynchronous(middleware))
    }

    /// Puts a function before all routes of the router or the group, in the order of the calls.
    ///
    /// - Parameter receive: May change the parameters and the data of the request, or answer it at once.
    public mutating func use(_ receive: @escaping @Sendable (inout Request) -> Step) {
        middleware.append(.immediate(MiddlewareFunction(body: receive)))
    }

    /// Puts a function that remembers something before all routes of the router or the group.
    ///
    ///     router.use(remembering: [String: Int]()) { request, counts in
    ///         counts[request.source ?? "", default: 0] += 1
    ///         request.data["count"] = counts[request.source ?? ""]
    ///         return .proceed
    ///     }
    ///
    /// - Parameters:
    ///   - memory: What it remembers at first.
    ///   - receive: May change the parameters and the data of the request, or answer it at once; no two calls run at a
    ///     time.
    public mutating func use<Memory: Sendable>(
        remembering memory: Memory, _ receive: @escaping @Sendable (inout Request, inout Memory) -> Step
    ) {
        let memory = SharedMemory(memory)
        use { request in memory.withLock { receive(&request, &$0) } }
    }

    /// Puts an async function before all routes of the router or the group, in the order of the calls.
    ///
    /// - Parameter receive: May change the parameters and the data of the request, or answer it at once. It runs off the
    ///   caller's actor, unless it belongs to an actor.
    public mutating func use(_ receive: @concurrent @escaping @Sendable (inout Request) async -> Step) {
        use(AsyncMiddlewareFunction(body: receive))
    }

    /// Puts a policy before all routes of the router or the group; the first that fails ends the request.
    public mutating func require(_ policy: Check) {
        policies.append(policy)
    }

    /// Gathers routes that share the beginning of their pattern and what stands before them.
    ///
    /// - Parameters:
    ///   - prefix: What their patterns begin with.
    ///   - scheme: Their scheme, if it is not that of the router.
    ///   - isPublic: Whether requests from the desktop, so possibly from a web page, reach them; as around the group
    ///     if it is not said.
    ///   - isEnabled: Whether the routes are there at all.
    ///   - policies: What may refuse a request.
    ///   - body: Adds the routes.
    public mutating func group(
        _ prefix: String = "/", scheme: String? = nil, isPublic: Bool? = nil, isEnabled: Bool = true,
        policies: [Check] = [], _ body: (inout RouteList) throws -> Void
    ) rethrows {
        var group = RouteList(in: self, scheme, prefix, isPublic: isPublic, policies)
        try body(&group)
        if isEnabled { entries += group.finished }
    }

    /// Answers actions with a handler of any kind, for example an object that stands for a part of the program.
    ///
    /// - Parameters:
    ///   - pattern: The actions.
    ///   - handler: Does them.
    ///   - isPublic: Whether requests from the desktop, so possibly from a web page, reach it; as around the route if it
    ///     is not said.
    ///   - policies: What may refuse a request.
    ///   - about: What it says of itself in ``Router/dropIn(deliveringTo:wait:)``.
    ///   - file: The file of the call, for errors.
    ///   - line: The line of the call, for errors.
    public mutating func route(
        _ pattern: String, to handler: any AsyncHandler, isPublic: Bool? = nil, policies: [Check] = [],
        about: About? = nil, file: StaticString = #fileID, line: Int = #line
    ) {
        add(pattern, to: handler, isPublic, policies, about, SourcePlace(file: "\(file)", line: line), taking: nil)
    }

    /// Adds a route.
    mutating func add(
        _ pattern: String, to handler: any AsyncHandler, _ isPublic: Bool?, _ policies: [Check], _ about: About?,
        _ place: SourcePlace, taking input: (any (Decodable & SendableMetatype).Type)?
    ) {
        entries.append(
            Entry(
                scheme: scheme, patterns: prefix + [pattern], place: place, isPublic: isPublic ?? self.isPublic,
                policies: policies, handler: handler, about: about, input: input))
    }
}

/// Where a route is given.
struct SourcePlace {
    let file: String
    let line: Int
}

/// A middleware that is a function.
private struct MiddlewareFunction: Middleware {
    let body: @Sendable (inout Request) -> Step

    func receive(_ request: inout Request, _ state: inout PipelineState) -> Step {
        body(&request)
    }
}

/// A middleware that is an async function.
private struct AsyncMiddlewareFunction: AsyncMiddleware {
    let body: @concurrent @Sendable (inout Request) async -> Step

    func receive(_ request: inout Request) async -> Step {
        await body(&request)
    }
}
