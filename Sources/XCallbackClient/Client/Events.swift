import Synchronization
import XCallbackWire

extension Client {
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
    /// How the sequence reacts when the daemon goes away.
    enum Interruption: Sendable {
        /// It continues with the next daemon.
        case silent
        /// It continues with the next daemon, after an element that reports the interruption.
        case told(@Sendable () -> Element)
        /// An element reports the interruption at once; then the sequence continues with the next daemon.
        case toldAtOnce(@Sendable () -> Element)
    }

    /// The minimum lifetime of a connection that is restored without a pause.
    private static var pause: Duration { .seconds(1) }

    private let client: Client
    private let method: String
    private let parameters: JSONValue
    private let interruption: Interruption
    private let read: @Sendable (JSONValue) throws(ReplyFault) -> Element?
    /// Receives the reason while the daemon does not answer, and nil when it answers again.
    private let watcher: @Sendable (ClientError?) -> Void
    private let connection: Mutex<ClientConnection>
    /// Whether the first reply of a connection is an element; otherwise it only shows that the daemon accepts the call.
    private let readsFirst: Bool
    /// The first reply of the connection, while it waits to be read.
    private let first: Mutex<JSONValue?>
    /// When the connection was opened.
    private let start = Mutex(ContinuousClock.now)
    /// Whether the loss of the daemon was reported.
    private let isAway = Mutex(false)

    convenience init(
        of client: Client, _ method: String, _ parameters: JSONValue, reading member: String,
        _ interruption: Interruption
    ) async throws where Element: ReplyValue {
        try await self.init(of: client, method, parameters, interruption) { value throws(ReplyFault) in
            try value.read(member)
        }
    }

    init(
        of client: Client, _ method: String, _ parameters: JSONValue, _ interruption: Interruption,
        readsFirst: Bool = false, watcher: @escaping @Sendable (ClientError?) -> Void = { _ in },
        _ read: @escaping @Sendable (JSONValue) throws(ReplyFault) -> Element?
    ) async throws {
        self.client = client
        self.method = method
        self.parameters = parameters
        self.interruption = interruption
        self.watcher = watcher
        self.read = read
        self.readsFirst = readsFirst
        let watch = try await client.watch(method, parameters)
        connection = Mutex(watch.connection)
        first = Mutex(readsFirst ? watch.first : nil)
    }

    func next() async throws -> Element? {
        while true {
            if isAway.withLock({ $0 }) {
                try await reconnect()
                isAway.withLock { $0 = false }
            }
            do {
                while let element = try await nextReply() {
                    if let element = try read(element) { return element }
                }
                watcher(.disconnected(from: client.pool.location.candidates[0], "it ended the stream"))
            } catch let fault as ReplyFault {
                throw ClientError(fault)
            } catch let error as ClientError where error.isTransient {
                watcher(error)
            }
            switch interruption {
            case .silent: try await reconnect()
            case .told(let element):
                try await reconnect()
                return element()
            case .toldAtOnce(let element):
                isAway.withLock { $0 = true }
                return element()
            }
        }
    }

    /// Returns the parameters of the next reply; nil after the last, for example when the daemon stops.
    private func nextReply() async throws -> JSONValue? {
        if let first = first.withLock({ $0.take() }) { return first }
        let reply = try await connection.withLock { $0 }.nextReply()
        return reply.continues ? reply.parameters : nil
    }

    /// Repeats the call on a new connection until a daemon answers.
    ///
    /// The first attempt is immediate, so that it precedes callers that start waiting for the next daemon after this one has
    /// gone, unless the connection was only just opened.
    ///
    /// The configuration may lack the name or topic for a while, because a reload may bring it back.
    ///
    /// - Throws: ``ClientError`` if the daemon rejects the call; `CancellationError`.
    private func reconnect() async throws {
        var backOff = BackOff()
        if start.withLock({ $0 }).duration(to: .now) < Self.pause { try await Task.sleep(for: backOff.next()) }
        while true {
            do {
                let watch = try await client.watch(method, parameters)
                start.withLock { $0 = .now }
                connection.withLock { $0 = watch.connection }
                if readsFirst { first.withLock { $0 = watch.first } }
                return watcher(nil)
            } catch let error as ClientError where error.isTransient {
                watcher(error)
            }
            try await Task.sleep(for: backOff.next())
        }
    }
}

extension ClientError {
    /// Whether the same call may succeed later: with another daemon, or with another configuration.
    var isTransient: Bool {
        isOfConnection || [.unavailable, .unknownName, .unknownTopic, .unknownRoute].contains(reason)
    }
}
