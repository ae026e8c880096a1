public import FoundationEssentials
import Glibc
import Synchronization
public import XCallbackClient
public import XCallbackRouter
public import XCallbackURL
import XCallbackWire

/// A router for callback URLs within the process, with the daemon's routing and rules.
///
///     let router = try Router(scheme: "notes") { router in
///         router.route("/search") { print("Navigate to the search view") }
///         router.route("/create") { (note: Note) in try await store.add(note) }
///     }
///     let answer = await router.handle("notes:/create?title=Milk&x-success=app://done")
///     print(answer.url)  // app://done
///
/// Every URL gets exactly one answer. A router is immutable.
public final class Router: Sendable {
    /// The answer to a request.
    public struct Answer: Hashable, Sendable {
        /// The answer itself: the callback for this outcome, or a URL `xcallback://…` if the request has none.
        ///
        /// The program that received the request must open it, once.
        public let url: String
        /// The outcome of the request.
        public let response: Response
    }

    /// The scheme of routes without a scheme of their own.
    public let scheme: String
    let pipeline: Pipeline
    /// The types of its routes, and the format of their values.
    let (types, style): ([RouteTypes], QueryStyle)
    private let host = RouterHost()
    private let hub: EventHub
    let onError: (@Sendable (any Error, Request) -> Void)?

    /// Creates a router.
    ///
    /// - Parameters:
    ///   - scheme: The scheme of the URLs, for example `notes`.
    ///   - syntax: How URLs of the scheme are read; the schemes of groups are of syntax `callback`.
    ///   - ignoresHosts: Whether hosts other than `x-callback-url` are ignored; otherwise the host is the first segment
    ///     of the action.
    ///   - callbacks: The allowed targets of answers and redirects, in addition to the router's own schemes: schemes,
    ///     such as `bear`, and web sites, such as `https://example.org`. All others are rejected. If nil, requests from
    ///     the desktop may name no target, and other requests any scheme except `http` and `https`. Schemes that could
    ///     execute the contents of a URL, such as `javascript`, cannot be listed.
    ///   - style: The format of the values of typed handlers.
    ///   - parameterLimit: The maximum number of query items of a request.
    ///   - onError: Receives each error in which a request ends: the error of a handler, or a ``CallbackError``. The
    ///     request is answered in any case.
    ///   - routes: Adds the routes, and the middleware and policies before them.
    /// - Throws: ``RouterError`` with all faults of the patterns and the callbacks, and all pairs of routes that answer
    ///   the same URL; and the errors of `routes`.
    public init(
        scheme: String, syntax: URLSyntax = .callback, ignoresHosts: Bool = false, callbacks: [String]? = nil,
        style: QueryStyle = .standard, parameterLimit: Int = 256,
        onError: (@Sendable (any Error, Request) -> Void)? = nil,
        _ routes: (inout RouteList) throws -> Void
    ) throws {
        hub = EventHub()
        self.scheme = scheme.lowercased()
        self.onError = onError
        var list = RouteList(scheme: self.scheme, style: style, hub: hub)
        try routes(&list)
        (types, self.style) = (list.finished.map(\.options.types), style)
        pipeline = try Pipeline(
            list, SchemeSettings(self.scheme, syntax: syntax, ignoresHosts: ignoresHosts), allowedCallbacks: callbacks,
            parameterLimit: parameterLimit)
    }

    /// Answers a URL that was received from outside.
    ///
    /// - Parameters:
    ///   - url: The URL.
    ///   - origin: The origin of the URL; URLs from the desktop may be from a web page, so they reach only public routes.
    ///   - peer: The process that sent the URL, for a program with a socket of its own; nil for this process.
    /// - Returns: The answer. Cancelling the task cancels the handler, which decides how the request ends.
    @discardableResult
    public func handle(_ url: URL, from origin: Origin = .socket, peer: Peer? = nil) async -> Answer {
        await handle(url.absoluteString, from: origin, peer: peer)
    }

    /// Answers a URL that was received from outside, given as text.
    @discardableResult
    public func handle(_ url: String, from origin: Origin = .socket, peer: Peer? = nil) async -> Answer {
        await answer(Array(url.utf8), from: peer ?? .thisProcess, origin)
    }

    /// Answers a request of the program itself, which also reaches private routes.
    ///
    /// - Parameter url: The URL, or only its action and query: `/messages?unread`.
    /// - Returns: The outcome of the request.
    public func send(_ url: String) async -> Response {
        let url = url.utf8.first == UInt8(ascii: "/") ? "\(scheme):\(url)" : url
        return await answer(Array(url.utf8), from: .thisProcess, .internal).response
    }

    /// Returns the requests for an event from now on: those of the routes with its name.
    ///
    /// - Parameters:
    ///   - event: The name of the event.
    ///   - count: The maximum number of waiting requests; above it, the oldest are dropped.
    /// - Returns: The requests, as long as the stream is used.
    public func events(_ event: String, buffering count: Int = 64) -> AsyncStream<Request> {
        hub.requests(of: event, buffering: count)
    }

    /// How it reads a URL.
    func syntax(of url: String) -> URLSyntax { pipeline.syntax(of: url.utf8.span) }

    /// The number of events with a stream or a function.
    package var eventCount: Int { hub.eventCount }

    /// Answers an event with a function, instead of a success without items.
    ///
    ///     let listener = router.answer(event: "noteShown") { request in .success(["id": request.parameters["id"]]) }
    ///
    /// - Parameters:
    ///   - event: The name of the event.
    ///   - answer: Answers a request. It runs off the caller's actor, unless it belongs to an actor.
    /// - Returns: The listener: the function answers as long as it is kept, unless another one was added later.
    public func answer(
        event: String, _ answer: @concurrent @escaping @Sendable (Request) async throws -> Response
    ) -> EventListener {
        let id = hub.add(answer, to: event)
        return EventListener { [hub] in hub.remove(answerWithID: id, from: event) }
    }

    /// Answers a request.
    ///
    /// - Parameters:
    ///   - url: The URL.
    ///   - peer: The sender.
    ///   - origin: The origin.
    ///   - isAdmitted: Whether the daemon has already decided that the request may reach the route, regardless of its origin.
    ///   - progressReceiver: Receives the progress of the request.
    /// - Returns: The answer.
    func answer(
        _ url: [UInt8], from peer: Peer, _ origin: Origin, isAdmitted: Bool = false,
        progressReceiver: (any ProgressReceiver)? = nil
    ) async -> Answer {
        var execution = Execution(
            peer: peer, origin: origin, isAdmitted: isAdmitted, progressReceiver: progressReceiver)
        var output = ByteBuffer()
        let pending = execution.answer(url.span, from: peer, origin: origin, in: pipeline, host, into: &output)
        var thrown: (any Error)?
        if let pending {
            repeat {
                guard let stage = execution.asyncStage else { break }
                execution.resume(with: await run(stage, &thrown))
            } while !execution.advance(in: pipeline, host)
            execution.write(pending, into: &output)
        }
        if case .error(let error) = execution.response { onError?(thrown ?? error, execution.request) }
        return Answer(url: String(decoding: output.contents, as: UTF8.self), response: execution.response)
    }

    /// Runs an async stage, and keeps the error of a handler.
    private func run(_ stage: AsyncStage, _ thrown: inout (any Error)?) async -> AsyncStage.Outcome {
        guard case .handle(let handler, let request) = stage else { return await stage.run(host) }
        do {
            return .handled(try await handler.handle(request, host))
        } catch {
            thrown = (error as? UnreadableInput)?.cause ?? error
            return .handled(Response(of: error))
        }
    }
}

/// What the stages of a router may ask: only for the time.
private final class RouterHost: StageHost {
    private let start = ContinuousClock.now

    var time: Int64 { start.duration(to: .now).wholeNanoseconds }

    var wallTime: Duration {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        return .seconds(now.tv_sec) + .nanoseconds(now.tv_nsec)
    }
}

/// A function that answers an event, as long as this object is kept.
public final class EventListener: Sendable {
    private let end: @Sendable () -> Void

    init(_ end: @escaping @Sendable () -> Void) {
        self.end = end
    }

    deinit {
        end()
    }
}

extension Response {
    /// Creates the outcome of a request whose handler has thrown an error.
    init(of error: any Error) {
        self =
            switch error {
            case is ActionCancelled: .cancel
            case let error as CallbackError where error.isOfCall:
                .error(CallbackError(.unreadableAnswer, "A called application failed with error \(error)"))
            case let visible as any CallbackErrorConvertible: .error(visible.callbackError)
            case is CancellationError: .error(CallbackError(.unavailable, "The action was given up."))
            default: .error(.internalFailure)
            }
    }
}

extension Router {
    /// Explains where routes are given.
    @available(*, unavailable, message: "A router needs routes: 'Router(scheme: \"notes\") { router in … }'.")
    public convenience init(scheme: String) {
        preconditionFailure()
    }

    /// Explains where routes are given.
    @available(*, unavailable, message: "A router never changes: routes are added in the closure of its initializer.")
    public func route<Handler>(_ pattern: String, _ handler: Handler) {}
}

/// The reason why routes do not form a valid router.
public struct RouterError: Error, Hashable, Sendable {
    /// All faults, each with its source location and the remedy.
    public let faults: [String]
}

extension RouterError: CustomStringConvertible {
    /// One line per fault.
    public var description: String { faults.joined(separator: "\n") }
}

extension Router: Opener {
    /// Answers a URL within the process; private routes are reachable too.
    public func open(_ url: ActionURL) async throws -> Response {
        await answer(Array(url.received.utf8), from: .thisProcess, .internal).response
    }
}

extension Router.Answer {
    /// Opens the callback for this outcome in the user's session; does nothing if the request has none.
    ///
    ///     let answer = await router.handle(url, from: .desktop)
    ///     try await answer.open()
    ///
    /// - Parameter program: The program that opens it. If nil: that of `$XCALLBACK_OPENER`, or the first of `xdg-open`,
    ///   `gio` and the desktop's portal that can.
    /// - Throws: ``CallbackError`` 503 if no program in the session could open it; `CancellationError`.
    public func open(using program: String? = nil) async throws {
        // The router's own answer has no receiver.
        if url.hasPrefix("\(CallbackRules.answerScheme):") { return }
        try await DesktopOpener(using: program).show(url, as: "the callback")
    }
}

extension Peer {
    /// This process.
    static let thisProcess = Peer(userID: getuid(), groupID: getgid(), processID: getpid())
}

/// Distributes requests to all that wait for an event, and to the listener that answers it.
final class EventHub: Sendable {
    typealias Answer = @Sendable (Request) async throws -> Response

    private struct Event {
        var listeners: [Int: AsyncStream<Request>.Continuation] = [:]
        /// The functions that answer; the one that was added last does.
        var answers: [(id: Int, answer: Answer)] = []

        var isUsed: Bool { !listeners.isEmpty || !answers.isEmpty }
    }

    private struct State {
        var events: [String: Event] = [:]
        var count = 0
    }

    private let state = Mutex(State())

    /// The number of events in use.
    var eventCount: Int { state.withLock(\.events.count) }

    /// Publishes a request; returns the answer to it.
    func publish(_ request: Request, to name: String) async throws -> Response {
        let event = state.withLock { $0.events[name] }
        for listener in (event?.listeners ?? [:]).values { listener.yield(request) }
        guard let answer = event?.answers.last?.answer else { return .success(QueryItems()) }
        return try await answer(request)
    }

    /// Returns the requests that are published to an event from now on.
    func requests(of name: String, buffering count: Int) -> AsyncStream<Request> {
        let (stream, listener) = AsyncStream.makeStream(of: Request.self, bufferingPolicy: .bufferingNewest(count))
        let id = change(name) { event, id in event.listeners[id] = listener }
        listener.onTermination = { [weak self] _ in _ = self?.change(name) { event, _ in event.listeners[id] = nil } }
        return stream
    }

    /// Adds a function that answers an event; returns its ID.
    func add(_ answer: @escaping Answer, to name: String) -> Int {
        change(name) { event, id in event.answers.append((id, answer)) }
    }

    /// Removes a function that answers an event.
    func remove(answerWithID id: Int, from name: String) {
        // What the function holds may own other listeners, whose end needs the lock: so it goes after the change.
        var removed: [(id: Int, answer: Answer)] = []
        _ = change(name) { event, _ in
            removed = event.answers.filter { $0.id == id }
            event.answers.removeAll { $0.id == id }
        }
        withExtendedLifetime(removed) {}
    }

    /// Changes an event; returns an ID for what is added.
    private func change(_ name: String, _ body: (inout Event, Int) -> Void) -> Int {
        state.withLock { state in
            state.count += 1
            var event = state.events[name] ?? Event()
            body(&event, state.count)
            state.events[name] = event.isUsed ? event : nil
            return state.count
        }
    }
}
