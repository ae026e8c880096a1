public import XCallbackPipeline
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
    let calls: Turns

    /// Creates a client without connecting.
    ///
    /// - Parameters:
    ///   - path: The daemon's socket. If nil: `$XCALLBACK_SOCKET`, the socket of the user's daemon, or that of the
    ///     system's daemon.
    ///   - limit: The maximum number of requests in progress, and of calls to other applications. A request made while
    ///     answering another one of the same client counts too.
    public init(socket path: String? = nil, limit: Int = 16) {
        precondition(limit > 0, "a client needs at least one connection")
        pool = ConnectionPool(SocketLocation(option: path), limit: limit)
        calls = Turns(limit: limit)
    }

    /// Creates a client of the same daemon that never waits for the requests of the other client.
    package init(beside other: Client, limit: Int) {
        pool = ConnectionPool(other.pool.location, limit: limit)
        calls = Turns(limit: limit)
    }

    /// Requests the answer to a URL.
    ///
    /// - Parameters:
    ///   - url: The URL, with its callbacks if it has any.
    ///   - origin: The origin from which this program got the URL: `socket`, or `desktop` if a web page may have
    ///     created it.
    ///   - isFollowed: Whether the daemon follows an answer that is for one of its own schemes; any other answer is
    ///     then a URL for the program to open: ``Answer/open``.
    /// - Returns: The answer, which may be an error of the handler or of the daemon.
    /// - Throws: ``ClientError`` if there is no answer.
    public func open(_ url: String, from origin: Origin = .socket, following isFollowed: Bool = false) async throws
        -> Answer
    {
        try await open(url, from: origin, following: isFollowed, answeredBy: nil)
    }

    /// Requests the answer of one route to a URL; if another route matches the URL, the answer is a 404 error, and
    /// nothing runs.
    ///
    /// - Parameters:
    ///   - url: The URL, with its callbacks if it has any.
    ///   - route: The ``Route/id`` of the route.
    /// - Returns: The answer, which may be an error of the handler or of the daemon.
    /// - Throws: ``ClientError`` if there is no answer.
    public func open(_ url: String, answeredBy route: String) async throws -> Answer {
        try await open(url, from: .socket, following: false, answeredBy: route)
    }

    /// Requests the answer of a route, or of any route if it is nil.
    package func open(
        _ url: String, from origin: Origin = .socket, answeredBy route: String?
    ) async throws -> Answer {
        try await open(url, from: origin, following: false, answeredBy: route)
    }

    private func open(
        _ url: String, from origin: Origin, following isFollowed: Bool, answeredBy route: String?
    ) async throws -> Answer {
        var parameters: [JSONValue.Member] = [.init("url", .string(url))]
        if origin != .socket { parameters.append(.init("origin", .string(origin.rawValue))) }
        if isFollowed { parameters.append(.init("follow", .bool(true))) }
        if let route { parameters.append(.init("route", .string(route))) }
        return try await ask("Open", .object(parameters))
    }

    /// Explains what would happen to a URL, without running anything.
    ///
    /// - Parameters:
    ///   - url: The URL.
    ///   - origin: The origin that the request would have.
    /// - Returns: The effect of each stage.
    /// - Throws: ``ClientError``.
    public func explain(_ url: String, from origin: Origin = .socket) async throws -> Explanation {
        try await Self.read { try await self.call("Explain", Self.explaining(url, origin)).read("explanation") }
    }

    /// Returns the status of the daemon.
    ///
    /// - Throws: ``ClientError``.
    public func status() async throws -> Status {
        try await ask("Status")
    }

    /// Reloads the daemon's configuration, and waits for the result.
    ///
    /// - Returns: The changes.
    /// - Throws: ``ClientError``, with the faults if the configuration has any.
    @discardableResult
    public func reload() async throws -> RouteChange {
        try await ask("Reload")
    }

    /// Publishes items to the subscribers of a topic.
    ///
    /// - Returns: The number of subscribers.
    /// - Throws: ``ClientError``.
    @discardableResult
    public func publish(_ items: QueryItems, to topic: String) async throws -> Int {
        try await Self.read {
            try await self.call("Publish", ["topic": .string(topic), "items": items.wire]).read("reached")
        }
    }

    /// Responds once to a received request.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - response: The response; a receiver cannot redirect.
    /// - Throws: ``ClientError``, for example if the request has ended in the meantime.
    public func respond(to request: ReceivedRequest, with response: Response) async throws {
        try await respond(toRequest: request.id, with: response)
    }

    /// Responds once to the request with an ID.
    package func respond(toRequest id: String, with response: Response) async throws {
        var parameters: [JSONValue.Member] = [
            .init("id", .string(id)), .init("outcome", .string(response.kind.rawValue)),
        ]
        switch response {
        case .success(let items): parameters.append(.init("items", items.wire))
        case .error(let error): parameters += error.members
        case .cancel: break
        case .redirect: throw ClientError(.invalidCall, "a receiver cannot redirect a request")
        }
        _ = try await call("Respond", .object(parameters))
    }
}

// MARK: - Calls

extension Client {
    /// Calls a method with a single reply of the daemon's interface.
    ///
    /// - Returns: The parameters of the reply.
    /// - Throws: ``ClientError`` or `CancellationError`.
    package func call(_ method: String, _ parameters: JSONValue = [:]) async throws -> JSONValue {
        try await pool.withConnection { connection in try await connection.call(method, parameters) }
    }

    /// Calls a method with many replies, on a connection of its own.
    ///
    /// - Returns: The connection, and the first reply, which shows that the daemon accepts the call.
    /// - Throws: ``ClientError`` or `CancellationError`.
    func watch(
        _ method: String, _ parameters: JSONValue
    ) async throws -> (connection: ClientConnection, first: JSONValue) {
        try await pool.withNewConnection { connection in
            connection.send(method, parameters, mode: .more)
            let first = try await connection.nextReply()
            guard first.continues else {
                throw ClientError(.disconnected, "the daemon ended '\(method)' immediately: it may be stopping")
            }
            return (connection, first.parameters)
        }
    }

    /// Returns the parameters of a call that explains a URL.
    ///
    /// - Parameters:
    ///   - url: The URL.
    ///   - origin: The origin that the request would have.
    /// - Returns: An object.
    package static func explaining(_ url: String, _ origin: Origin) -> JSONValue {
        ["url": .string(url), "origin": .string(origin.rawValue)]
    }

    private func ask<Value: ReplyValue>(_ method: String, _ parameters: JSONValue = [:]) async throws -> Value {
        try await Self.read { try Value(reading: try await self.call(method, parameters)) }
    }

    /// Reads a reply.
    ///
    /// - Throws: ``ClientError`` if the reply does not match the interface.
    static func read<Value>(_ body: () async throws -> Value) async throws -> Value {
        do {
            return try await body()
        } catch let fault as ReplyFault {
            throw ClientError(fault)
        }
    }
}

extension ClientError {
    /// Creates the error for a reply that does not match the interface.
    package init(_ fault: ReplyFault) {
        self.init(.incompatible, "the daemon sent \(fault): it has a different version")
    }
}
