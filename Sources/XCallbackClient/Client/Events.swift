import Synchronization
import XCallbackJSON

extension Client {
    /// What comes over a connection of its own, one after the other.
    ///
    /// It is for one task, and is gone through once. What is not taken yet waits in the daemon, which bounds it: nothing
    /// piles up here. The connection is closed when the sequence is let go or its task is cancelled.
    public struct Events<Element: Sendable>: AsyncSequence, Sendable {
        /// Takes the elements one after the other.
        public struct Iterator: AsyncIteratorProtocol {
            let feed: Feed<Element>

            /// The next element; nil when there are no more.
            ///
            /// - Throws: ``ClientError``, or `CancellationError`.
            public mutating func next() async throws -> Element? {
                try await feed.next()
            }
        }

        let feed: Feed<Element>

        /// Makes the one iterator.
        public func makeAsyncIterator() -> Iterator { Iterator(feed: feed) }
    }
}

/// The replies of a call that has many, over as many connections as it takes.
final class Feed<Element: Sendable>: Sendable {
    /// What becomes of the elements when the daemon goes away.
    enum Interruption: Sendable {
        /// They go on with the next daemon.
        case silent
        /// They go on with the next daemon, after one that tells of it.
        case told(@Sendable () -> Element)
        /// One tells of it at once; they go on with the next daemon.
        case toldAtOnce(@Sendable () -> Element)
    }

    /// How long a connection lasts at least that is made again at once.
    private static var pause: Duration { .seconds(1) }

    private let client: Client
    private let method: String
    private let parameters: JSONValue
    private let interruption: Interruption
    private let read: @Sendable (JSONValue) throws(ReplyFault) -> Element?
    /// Is told why the daemon does not answer, and nil when it does again.
    private let watcher: @Sendable (ClientError?) -> Void
    private let connection: Mutex<ClientConnection>
    /// When the connection was made.
    private let start = Mutex(ContinuousClock.now)
    /// Whether the daemon has gone away, and that was told.
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
        watcher: @escaping @Sendable (ClientError?) -> Void = { _ in },
        _ read: @escaping @Sendable (JSONValue) throws(ReplyFault) -> Element?
    ) async throws {
        self.client = client
        self.method = method
        self.parameters = parameters
        self.interruption = interruption
        self.watcher = watcher
        self.read = read
        connection = Mutex(try await client.watch(method, parameters))
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

    /// The parameters of the next reply; nil if it is the last, as when the daemon stops.
    private func nextReply() async throws -> JSONValue? {
        let reply = try await connection.withLock { $0 }.nextReply()
        return reply.continues ? reply.parameters : nil
    }

    /// Calls again on a new connection, until there is a daemon that answers.
    ///
    /// At once for the first time, so that it comes before those who ask after the daemon has gone, and wait for the next
    /// one; unless the daemon has just been made a connection to.
    ///
    /// The configuration can lack the name or topic for a while, as a reload may bring it back.
    ///
    /// - Throws: ``ClientError`` if the daemon refuses it, or `CancellationError`.
    private func reconnect() async throws {
        var backOff = BackOff()
        if start.withLock({ $0 }).duration(to: .now) < Self.pause { try await Task.sleep(for: backOff.next()) }
        while true {
            do {
                let connection = try await client.watch(method, parameters)
                start.withLock { $0 = .now }
                self.connection.withLock { $0 = connection }
                return watcher(nil)
            } catch let error as ClientError where error.isTransient {
                watcher(error)
            }
            try await Task.sleep(for: backOff.next())
        }
    }
}

extension ClientError {
    /// Whether the same call may succeed later: when there is a daemon again, or its configuration is another one.
    var isTransient: Bool {
        isOfConnection || [.unavailable, .unknownName, .unknownTopic, .unknownRoute].contains(reason)
    }
}
