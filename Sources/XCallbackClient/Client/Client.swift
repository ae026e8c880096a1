import Glibc
public import XCallbackRouter
public import XCallbackURL
package import XCallbackWire

/// The daemon, from a program's point of view.
///
/// A client connects on the first call, keeps its connections, and checks for each that the daemon runs as the same user,
/// as root or as the system's service. Requests on one connection are answered in order; a client opens as many
/// connections as it has requests at a time, up to a limit above which requests are queued.
///
///     let daemon = Client()
///     let answer = try await daemon.open("notes:/create?title=Milk")
///     print(answer.url)
///
/// Cancelling a task ends its call: the connection is closed, and the daemon stops the handler.
///
/// All functions throw ``ClientError``, or `CancellationError` when the task is cancelled.
public final class Client: Sendable {
    /// The interface that the daemon serves.
    package static let interface = "org.xcallback.Router"

    let pool: ConnectionPool
    /// The turns of calls to other applications, which may take minutes: other requests need not wait for them.
    let calls: AsyncSemaphore
    /// Who calls, for the history of the daemon, which keeps the calls of commands: `caller` of `Open`.
    private let caller: String?

    /// Creates a client without connecting.
    ///
    /// - Parameters:
    ///   - path: The daemon's socket. If nil: `$XCALLBACK_SOCKET`, the socket of the user's daemon, or that of the
    ///     system's daemon.
    ///   - limit: The maximum number of requests in progress, and of calls to other applications. A request made while
    ///     answering another one of the same client counts too.
    public convenience init(socket path: String? = nil, limit: Int = 16) {
        self.init(socket: path, limit: limit, caller: nil)
    }

    /// Creates a client whose requests are in the history of the daemon, with a caller.
    package init(socket path: String?, limit: Int = 16, caller: String?) {
        precondition(limit > 0, "a client needs at least one connection")
        pool = ConnectionPool(SocketLocation(option: path), limit: limit)
        calls = AsyncSemaphore(limit: limit)
        self.caller = caller
    }

    /// Creates a client of the same daemon that never waits for the requests of the other client.
    package init(beside other: Client, limit: Int) {
        pool = ConnectionPool(other.pool.location, limit: limit)
        calls = AsyncSemaphore(limit: limit)
        caller = other.caller
    }

    /// Requests the answer to a URL.
    ///
    /// - Parameters:
    ///   - url: The URL, with its callbacks if it has any.
    ///   - origin: The origin from which this program got the URL: `socket`, or `desktop` if a web page may have
    ///     created it.
    ///   - isFollowed: Whether the daemon follows an answer that is for one of its own schemes; any other answer is
    ///     then a URL for the program to open: ``Answer/open``.
    ///   - route: The ID of the only route that may answer, as the list of routes has it; nil for any. If another route
    ///     matches the URL, the answer is a 404 error, and nothing runs.
    ///   - progress: Called with the progress of the action, off the caller's actor; nil if it is not needed.
    /// - Returns: The answer, which may be an error of the handler or of the daemon.
    /// - Throws: ``ClientError`` if there is no answer.
    public func open(
        _ url: String, from origin: Origin = .socket, following isFollowed: Bool = false,
        answeredBy route: String? = nil, progress: (@Sendable (RequestProgress) -> Void)? = nil
    ) async throws -> Answer {
        try await open(url, from: origin, following: isFollowed, answeredBy: route, as: nil, progress: progress)
    }

    /// Requests the answer to a URL, like `open(_:from:following:answeredBy:progress:)`; `source` is the name of this program,
    /// for a URL that cannot have one.
    package func open(
        _ url: String, from origin: Origin, following isFollowed: Bool = false, answeredBy route: String?,
        as source: String?, progress: (@Sendable (RequestProgress) -> Void)? = nil
    ) async throws -> Answer {
        var parameters: [JSONValue.Member] = [.init("url", .string(url))]
        if origin != .socket { parameters.append(.init("origin", .string(origin.rawValue))) }
        if isFollowed { parameters.append(.init("follow", .bool(true))) }
        if let route { parameters.append(.init("route", .string(route))) }
        if let source { parameters.append(.init("source", .string(source))) }
        if let caller { parameters.append(.init("caller", .string(caller))) }
        return try await Self.read {
            try Answer(reading: try await self.reply(to: "Open", .object(parameters), progress))
        }
    }

    /// Calls another application, and waits for its answer.
    ///
    /// The daemon returns the URL to open: the given URL with return URLs in place of its callbacks. The URL's own callbacks
    /// come afterwards: ``Answer/open`` is the URL that the program must open for them. If the daemon itself answers the URL,
    /// the answer comes at once, and nothing is opened.
    ///
    /// A daemon that stops answers its calls with an error; one that is killed ends them with ``ClientError``.
    ///
    /// - Parameters:
    ///   - url: The URL of the application's action.
    ///   - limit: The time limit for the application; nil for the daemon's default.
    ///   - readsForm: Whether `+` in the application's answer is a space, as in programs that encode queries like HTML forms.
    ///   - progress: Called with the progress of an action of the daemon, which answers the URL or gets the answer; nil if it is
    ///     not needed.
    ///   - open: Opens a URL in the user's session; an error ends the call. It runs off the caller's actor, unless it
    ///     belongs to an actor.
    /// - Returns: The answer; without one in time, an error of the daemon.
    /// - Throws: ``ClientError``, or the error of `open`.
    public func call(
        _ url: String, within limit: Duration? = nil, readingForm readsForm: Bool = false,
        progress: (@Sendable (RequestProgress) -> Void)? = nil,
        opening open: @concurrent (String) async throws -> Void
    ) async throws -> Answer {
        var parameters: [JSONValue.Member] = [.init("url", .string(url))]
        if let limit { parameters.append(.init("timeout", .number(JSONNumber(seconds: limit)))) }
        if readsForm { parameters.append(.init("form", .bool(true))) }
        return try await Self.read {
            try await calls.withPermit {
                let (connection, first) = try await pool.withNewConnection { connection in
                    connection.send("Call", .object(parameters), mode: .more)
                    return (connection, try await connection.nextReply())
                }
                guard first.continues, first.parameters["progress"] == nil else {
                    return try Answer(reading: try await connection.lastReply(after: first, progress))
                }
                let target: String = try first.parameters.read("open")
                guard scheme(of: target) == scheme(of: url) else {
                    throw ClientError(.incompatible, "the daemon sent a URL of another application; nothing was opened")
                }
                try await open(target)
                do {
                    return try Answer(reading: try await connection.lastReply(progress))
                } catch let error as ClientError where error.isOfConnection {
                    throw ClientError(
                        .disconnected,
                        "the daemon ended before the application answered: its answer is lost\ncall again")
                }
            }
        }
    }

    /// Publishes items to the subscribers of a topic.
    ///
    /// - Returns: The number of subscribers.
    /// - Throws: ``ClientError``.
    @discardableResult
    public func publish(_ items: QueryItems, to topic: String) async throws -> Int {
        try await Self.read {
            try await self.call("Publish", ["topic": .string(topic), "items": items.json]).read("reached")
        }
    }

    /// Responds once to the received request with an ID; a receiver cannot redirect.
    ///
    /// - Throws: ``ClientError``, for example if the request has ended in the meantime.
    package func respond(toRequest id: String, with response: Response) async throws {
        var parameters: [JSONValue.Member] = [
            .init("id", .string(id)), .init("outcome", .string(response.kind.rawValue)),
        ]
        switch response {
        case .success(let items): parameters.append(.init("items", items.json))
        case .error(let error): parameters += error.members
        case .cancel: break
        case .redirect: throw ClientError(.invalidCall, "a receiver cannot redirect a request")
        }
        _ = try await call("Respond", .object(parameters))
    }

    /// Reports the progress of the received request with an ID.
    ///
    /// - Throws: ``ClientError``.
    func report(_ progress: RequestProgress, ofRequest id: String) async throws {
        _ = try await call("Respond", .object([.init("id", .string(id))] + (progress.reply.members ?? [])))
    }

    /// Calls a method of the daemon's interface with a single reply.
    ///
    /// - Returns: The parameters of the reply.
    /// - Throws: ``ClientError`` or `CancellationError`.
    package func call(_ method: String, _ parameters: JSONValue = [:]) async throws -> JSONValue {
        try await reply(to: method, parameters, nil)
    }

    /// Calls a method with a single reply, and perhaps progress before it.
    private func reply(
        to method: String, _ parameters: JSONValue, _ progress: (@Sendable (RequestProgress) -> Void)?
    ) async throws -> JSONValue {
        try await pool.withConnection { connection in try await connection.call(method, parameters, progress) }
    }

    /// Whether the daemon is this user's own, or root's, so that it may decide what this user's programs open.
    package func isOwn() async throws -> Bool {
        try await pool.withConnection { connection in [0, geteuid()].contains(connection.serverUserID) }
    }

    /// Calls a method with a single reply, and reads the reply.
    package func ask<Value: ReplyValue>(_ method: String, _ parameters: JSONValue = [:]) async throws -> Value {
        try await Self.read { try Value(reading: try await self.call(method, parameters)) }
    }

    /// Reads a reply.
    ///
    /// - Throws: ``ClientError`` if the reply does not match the interface.
    package static func read<Value>(_ body: () async throws -> Value) async throws -> Value {
        do {
            return try await body()
        } catch let fault as ReplyFault {
            throw ClientError(fault)
        }
    }
}

/// The part of a URL before its first colon, in lower case.
private func scheme(of url: String) -> String { url.prefix { $0 != ":" }.lowercased() }
