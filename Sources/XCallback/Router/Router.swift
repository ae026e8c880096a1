public import FoundationEssentials
import Synchronization
import XCallbackBytes
public import XCallbackPipeline
import XCallbackRouting
import XCallbackURL

/// A router of callback URLs within the process, with the routing and the rules of the daemon.
///
///     let router = try Router(scheme: "notes") { router in
///         router.route("/search") { print("Navigate to the search view") }
///         router.route("/create") { (note: Note) in try await store.add(note) }
///     }
///     let answer = await router.handle("notes:/create?title=Milk&x-success=app://done")
///     print(answer.url)  // app://done
///
/// Every URL gets exactly one answer. A router never changes once it is made.
public final class Router: Sendable {
    /// What a request is answered with.
    public struct Answer: Hashable, Sendable {
        /// The answer itself: the callback of the request for this outcome, or else a URL `xcallback://…`.
        ///
        /// Whoever has received the request opens it, once; nothing else does.
        public let url: String
        /// What the request has ended in.
        public let response: Response
    }

    /// Is told of an error, and of the request that ended in it.
    public typealias ErrorFunction = @Sendable (any Error, Request) -> Void

    /// The scheme of routes that name none.
    public let scheme: String
    private let pipeline: Pipeline
    /// What its routes say of themselves, and what their handlers read of the parameters, in their order.
    private let declarations: [(about: About?, input: (any (Decodable & SendableMetatype).Type)?)]
    private let style: QueryStyle
    /// What stages remember; they run one at a time.
    private let state = Mutex(PipelineState())
    private let hub: EventHub
    private let onError: ErrorFunction?
    private let start = ContinuousClock.now

    /// Creates a router.
    ///
    /// - Parameters:
    ///   - scheme: The scheme of the URLs, for example `notes`.
    ///   - ignoresHosts: Whether a host other than `x-callback-url` plays no part, instead of being the first segment of
    ///     the action.
    ///   - callbacks: Where answers may lead besides to the router's own schemes, and by redirects: schemes, as `bear`, and
    ///     web sites, as `https://example.org`. Nothing else may be named then. Without the list, requests from the
    ///     desktop may name nothing, and others every scheme but `http` and `https`. What could run what a URL holds, as
    ///     `javascript`, cannot be listed.
    ///   - style: How the values of typed handlers are written.
    ///   - parameterLimit: How many items the query of a request may have.
    ///   - onError: Is told of each error that a request ends in: what a handler has thrown, or a ``CallbackError``. The
    ///     request is answered in any case.
    ///   - routes: Adds the routes, and what stands before them.
    /// - Throws: ``RouterError`` with all faults of the patterns and the callbacks, and all pairs of routes that answer
    ///   the same URL; and what the function throws.
    public init(
        scheme: String, ignoresHosts: Bool = false, callbacks: [String]? = nil, style: QueryStyle = .standard,
        parameterLimit: Int = 256, onError: ErrorFunction? = nil, _ routes: (inout RouteList) throws -> Void
    ) throws {
        hub = EventHub()
        self.scheme = scheme.lowercased()
        self.onError = onError
        self.style = style
        var list = RouteList(scheme: self.scheme, style: style, hub: hub)
        try routes(&list)
        declarations = list.finished.map { ($0.about, $0.input) }
        pipeline = try Pipeline(
            list, scheme: self.scheme, allowedCallbacks: callbacks, ignoresHosts: ignoresHosts,
            parameterLimit: parameterLimit)
    }

    /// Answers a URL that was received from outside.
    ///
    /// - Parameters:
    ///   - url: The URL.
    ///   - origin: The way on which it came in; what the desktop hands over may be from a web page, so that it reaches
    ///     public routes only.
    /// - Returns: The answer. Cancelling the task cancels the handler, which decides how the request ends.
    @discardableResult
    public func handle(_ url: String, from origin: Origin = .socket) async -> Answer {
        await answer(Array(url.utf8), from: .thisProcess, origin)
    }

    /// Answers a URL that was received from outside, as text is.
    @discardableResult
    public func handle(_ url: URL, from origin: Origin = .socket) async -> Answer {
        await handle(url.absoluteString, from: origin)
    }

    /// Answers a request of the program itself, which reaches private routes too.
    ///
    /// - Parameter url: The URL, or only its action and query: `/messages?unread`.
    /// - Returns: What the request has ended in.
    public func send(_ url: String) async -> Response {
        let url = url.utf8.first == UInt8(ascii: "/") ? "\(scheme):\(url)" : url
        return await answer(Array(url.utf8), from: .thisProcess, .internal).response
    }

    /// The requests that come for an event from now on: those of routes that were given its name.
    ///
    /// - Parameters:
    ///   - event: The name.
    ///   - count: How many requests wait at most to be looked at; beyond that, the oldest are lost.
    /// - Returns: The requests, as long as somebody looks at them.
    public func events(_ event: String, buffering count: Int = 64) -> AsyncStream<Request> {
        hub.requests(of: event, buffering: count)
    }

    /// The schemes of its routes, its own first.
    var schemes: [String] { pipeline.schemes.map(\.name) }

    /// Its routes, as a configuration declares them.
    var declaredRoutes: [DeclaredRoute] {
        zip(pipeline.routes, declarations).map { route, declaration in
            DeclaredRoute(
                name: route.name, isPublic: route.isPublic, about: declaration.about,
                input: declaration.input.map { InputSketch(of: $0, style) },
                captures: route.pattern.captures.map { ($0.name, $0.isWildcard) })
        }
    }

    /// Answers a request.
    ///
    /// - Parameters:
    ///   - url: The URL.
    ///   - peer: Who has sent it.
    ///   - origin: The way on which it came in.
    ///   - isAdmitted: Whether the daemon has decided already that it may reach the route, whatever its origin is.
    /// - Returns: The answer.
    func answer(_ url: [UInt8], from peer: Peer, _ origin: Origin, isAdmitted: Bool = false) async -> Answer {
        var walk = Walk(peer: peer, origin: origin, isAdmitted: isAdmitted)
        var output = ByteBuffer()
        let pending = withState {
            walk.answer(url.span, from: peer, origin: origin, in: pipeline, &$0, into: &output)
        }
        var thrown: (any Error)?
        if let pending {
            repeat {
                guard let stage = walk.asyncStage else { break }
                walk.resume(with: await run(stage, &thrown))
            } while !withState { walk.advance(in: pipeline, &$0) }
            walk.write(pending, into: &output)
        }
        if case .error(let error) = walk.response { onError?(thrown ?? error, walk.request) }
        return Answer(url: String(decoding: output.contents, as: UTF8.self), response: walk.response)
    }

    /// Calls a function with what stages remember, at the present time.
    private func withState<Result: ~Copyable>(_ body: (inout PipelineState) -> sending Result) -> Result {
        state.withLock { state in
            state.now = start.duration(to: .now)
            return body(&state)
        }
    }

    /// Runs an async stage, and keeps the error of a handler.
    private func run(_ stage: AsyncStage, _ thrown: inout (any Error)?) async -> AsyncStage.Outcome {
        guard case .handle(let handler, let request) = stage else { return await stage.run() }
        do {
            return .handled(try await handler.handle(request))
        } catch {
            thrown = (error as? UnreadableInput)?.cause ?? error
            return .handled(Response(of: error))
        }
    }
}

extension Response {
    /// What a request ends in whose handler has thrown an error.
    init(of error: any Error) {
        self =
            switch error {
            case is ActionCancelled: .cancel
            case let visible as any CallbackErrorConvertible: .error(visible.callbackError)
            case is CancellationError: .error(CallbackError(.unavailable, "The action was given up."))
            default: .error(.internalFailure)
            }
    }
}
