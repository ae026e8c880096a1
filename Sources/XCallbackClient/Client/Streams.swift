import Synchronization
package import XCallbackURL
package import XCallbackWire

extension Client {
    /// Subscribes to topics.
    ///
    /// A lost connection is restored, however long that takes; then ``Publication/missed(_:)`` reports that events may
    /// have been lost in the meantime.
    ///
    /// - Parameter topics: The topics.
    /// - Returns: The events from now on.
    /// - Throws: ``ClientError``.
    public func publications(of topics: [String]) async throws -> Events<Publication> {
        let parameters: JSONValue = ["topics": .array(topics.map { .string($0) })]
        return try await events(of: "Subscribe", parameters, gap: { .missed(nil) }) { reply throws(ReplyFault) in
            try reply.read("event")
        }
    }

    /// Receives the requests for routes with `deliver: NAME`, one at a time.
    ///
    /// If the connection is lost, or a reload removes the name, it is restored, however long that takes.
    package func requests(receivedAs name: String) async throws -> Events<ReceivedRequest> {
        try await events(of: "Receive", ["name": .string(name)]) { reply throws(ReplyFault) in
            try reply.read("request")
        }
    }

    /// Receives requests, and also reports when a request ends without a response and when the daemon goes away.
    ///
    /// - Parameters:
    ///   - name: The name.
    ///   - key: The key for ``retire(name:key:)``.
    ///   - conditions: The values that the requests must have.
    /// - Returns: The deliveries from now on.
    /// - Throws: ``ClientError``.
    package func deliveries(
        receivedAs name: String, key: String? = nil, where conditions: QueryItems = QueryItems()
    ) async throws -> Events<Delivery> {
        let feed = deliveryFeed(name, key: key, where: conditions)
        try await feed.begin()
        return Events(feed: feed)
    }

    /// Returns the deliveries, without a connection.
    ///
    /// - Parameters:
    ///   - name: The name.
    ///   - count: The maximum number of requests at a time.
    ///   - key: The key for ``retire(name:key:)``.
    ///   - conditions: The values that the requests must have.
    ///   - watcher: Receives the reason while the daemon does not answer, and nil when it answers.
    ///   - pause: Waits between attempts to connect.
    /// - Returns: The deliveries.
    func deliveryFeed(
        _ name: String, concurrently count: Int = 1, key: String? = nil, where conditions: QueryItems = QueryItems(),
        watcher: @escaping @Sendable (ClientError?) -> Void = { _ in },
        pause: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) -> Feed<Delivery> {
        var parameters: [JSONValue.Member] = [.init("name", .string(name))]
        if count > 1 { parameters.append(.init("prefetch", .number(JSONNumber(count)))) }
        if let key { parameters.append(.init("key", .string(key))) }
        if !conditions.isEmpty { parameters.append(.init("where", conditions.wire)) }
        return Feed(
            of: self, "Receive", .object(parameters), gap: { .away }, isGapToldAtOnce: true, watcher: watcher,
            pause: pause
        ) { value throws(ReplyFault) in
            if let id: String = try value.read("ended") { return .ended(id: id) }
            let request: ReceivedRequest? = try value.read("request")
            return request.map { .request($0) }
        }
    }

    /// Stops deliveries to the receivers with a key; their streams end after the responses to their current requests.
    package func retire(name: String, key: String) async throws {
        _ = try await call("Retire", ["name": .string(name), "key": .string(key)])
    }

    /// Calls a method with many replies, and again whenever the connection was lost.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - parameters: Its parameters.
    ///   - gap: Returns the element that reports that the connection was lost; nil if nothing reports it.
    ///   - readsFirst: Whether the first reply of a connection is an element, too.
    ///   - read: Returns the element of a reply; nil if it has none.
    /// - Returns: The elements.
    /// - Throws: ``ClientError`` if the daemon does not accept the call.
    package func events<Element>(
        of method: String, _ parameters: JSONValue, gap: (@Sendable () -> Element)? = nil, readsFirst: Bool = false,
        _ read: @escaping @Sendable (JSONValue) throws(ReplyFault) -> Element?
    ) async throws -> Events<Element> {
        let feed = Feed(of: self, method, parameters, gap: gap, readsFirst: readsFirst, read)
        try await feed.begin()
        return Events(feed: feed)
    }

    /// A sequence of elements from a connection of its own.
    ///
    /// It is for one task and can be iterated once. Elements that are not read yet wait in the daemon, which limits them:
    /// nothing accumulates here. The connection is closed when the sequence is released or its task is cancelled.
    public struct Events<Element: Sendable>: AsyncSequence, Sendable {
        /// Iterates over the elements.
        public struct Iterator: AsyncIteratorProtocol {
            let feed: Feed<Element>

            /// Returns the next element; nil at the end.
            ///
            /// - Throws: ``ClientError``, or `CancellationError`.
            public mutating func next() async throws -> Element? {
                try await feed.next()
            }
        }

        let feed: Feed<Element>

        /// Creates the only iterator.
        public func makeAsyncIterator() -> Iterator { Iterator(feed: feed) }
    }
}

/// The replies of a call with many replies, over any number of connections.
final class Feed<Element: Sendable>: Sendable {
    private struct State {
        /// The connection; nil before the first one, and after the loss of one was reported.
        var connection: ClientConnection?
        /// The first reply of the connection, while it waits to be read.
        var first: JSONValue?
        /// When the connection was opened.
        var start: ContinuousClock.Instant?
    }

    private let client: Client
    private let method: String
    private let parameters: JSONValue
    private let gap: (@Sendable () -> Element)?
    /// Whether the loss of a connection is reported before there is another one.
    private let isGapToldAtOnce: Bool
    private let readsFirst: Bool
    private let watcher: @Sendable (ClientError?) -> Void
    private let pause: @Sendable (Duration) async throws -> Void
    private let read: @Sendable (JSONValue) throws(ReplyFault) -> Element?
    private let state = Mutex(State())

    init(
        of client: Client, _ method: String, _ parameters: JSONValue, gap: (@Sendable () -> Element)?,
        isGapToldAtOnce: Bool = false, readsFirst: Bool = false,
        watcher: @escaping @Sendable (ClientError?) -> Void = { _ in },
        pause: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) },
        _ read: @escaping @Sendable (JSONValue) throws(ReplyFault) -> Element?
    ) {
        self.client = client
        self.method = method
        self.parameters = parameters
        self.gap = gap
        self.isGapToldAtOnce = isGapToldAtOnce
        self.readsFirst = readsFirst
        self.watcher = watcher
        self.pause = pause
        self.read = read
    }

    /// Makes the call.
    ///
    /// - Throws: ``ClientError`` if the daemon does not accept it; `CancellationError`.
    func begin() async throws {
        let watch = try await client.watch(method, parameters)
        state.withLock { state in
            state = State(connection: watch.connection, first: readsFirst ? watch.first : nil, start: .now)
        }
    }

    func next() async throws -> Element? {
        while true {
            if state.withLock({ $0.connection == nil }) { try await connect() }
            do {
                while let reply = try await nextReply() {
                    if let element = try read(reply) { return element }
                }
                watcher(.disconnected(from: client.pool.location.candidates[0], "it ended the stream"))
            } catch let fault as ReplyFault {
                throw ClientError(fault)
            } catch let error as ClientError where error.isTransient {
                watcher(error)
            }
            state.withLock { $0.connection = nil }
            guard let gap else { continue }
            if !isGapToldAtOnce { try await connect() }
            return gap()
        }
    }

    /// Returns the parameters of the next reply; nil after the last, for example when the daemon stops.
    private func nextReply() async throws -> JSONValue? {
        let (first, connection) = state.withLock { state in (state.first.take(), state.connection) }
        if let first { return first }
        guard let reply = try await connection?.nextReply(), reply.continues else { return nil }
        return reply.parameters
    }

    /// Makes the call on a new connection until a daemon answers.
    ///
    /// The first attempt is immediate, so that it precedes callers that start waiting for the next daemon after this one has
    /// gone, unless the last connection was only just opened.
    ///
    /// The configuration may lack the name or topic for a while, because a reload may bring it back.
    ///
    /// - Throws: ``ClientError`` if the daemon rejects the call; `CancellationError`.
    private func connect() async throws {
        var backOff = BackOff()
        let start = state.withLock { $0.start }
        if let start, start.duration(to: .now) < .seconds(1) { try await pause(backOff.next()) }
        while true {
            do {
                try await begin()
                return watcher(nil)
            } catch let error as ClientError where error.isTransient {
                watcher(error)
            }
            try await pause(backOff.next())
        }
    }
}

extension ClientError {
    /// Whether the same call may succeed later: with another daemon, or with another configuration.
    var isTransient: Bool {
        isOfConnection || [.unavailable, .unknownName, .unknownTopic, .unknownRoute].contains(reason)
    }
}
