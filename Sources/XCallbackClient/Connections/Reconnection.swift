import Synchronization
import XCallbackWire

/// A call with many replies.
struct StreamCall<Element: Sendable>: Sendable {
    let method: String
    let parameters: JSONValue
    /// Returns the element that reports that the connection was lost; nil if nothing reports it.
    var gap: (@Sendable () -> Element)?
    /// Whether the loss of a connection is reported before there is another one.
    var reportsGapAtOnce = false
    /// Whether the first reply of a connection is an element, too.
    var readsFirst = false
    /// Receives the reason while the daemon does not answer, and nil when it answers.
    var watcher: @Sendable (ClientError?) -> Void = { _ in }
    /// Waits between attempts to connect.
    var pause: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    /// Returns the element of a reply; nil if it has none.
    let read: @Sendable (JSONValue) throws(ReplyFault) -> Element?
}

extension Client {
    /// A sequence of elements from a connection of its own.
    ///
    /// It is for one task and can be iterated once. Elements that are not read yet wait in the daemon, which limits them:
    /// nothing accumulates here. The connection is closed when the sequence is released or its task is cancelled.
    package final class Events<Element: Sendable>: AsyncSequence, Sendable {
        /// Iterates over the elements.
        package struct Iterator: AsyncIteratorProtocol {
            let events: Events

            /// Returns the next element; nil at the end.
            ///
            /// - Throws: ``ClientError``, or `CancellationError`.
            package mutating func next() async throws -> Element? {
                try await events.next()
            }
        }

        private struct State {
            /// The connection; nil before the first one, and after the loss of one was reported.
            var connection: ClientConnection?
            /// The first reply of the connection, while it waits to be read.
            var first: JSONValue?
            /// When the connection was opened.
            var start: ContinuousClock.Instant?
        }

        private let client: Client
        private let call: StreamCall<Element>
        private let state = Mutex(State())

        init(of client: Client, _ call: StreamCall<Element>) {
            self.client = client
            self.call = call
        }

        /// Creates the only iterator.
        package func makeAsyncIterator() -> Iterator { Iterator(events: self) }
    }
}

extension Client.Events {
    /// Makes the call.
    ///
    /// - Throws: ``ClientError`` if the daemon does not accept it; `CancellationError`.
    func begin() async throws {
        let (connection, first) = try await client.pool.withNewConnection { connection in
            connection.send(call.method, call.parameters, mode: .more)
            return (connection, try await connection.nextReply())
        }
        guard first.continues else {
            throw ClientError(.disconnected, "the daemon ended '\(call.method)' immediately: it may be stopping")
        }
        state.withLock { state in
            state = State(connection: connection, first: call.readsFirst ? first.parameters : nil, start: .now)
        }
    }

    func next() async throws -> Element? {
        while true {
            if state.withLock({ $0.connection == nil }) { try await reconnect() }
            do {
                while let reply = try await nextReply() {
                    if let element = try call.read(reply) { return element }
                }
                call.watcher(.disconnected(from: client.pool.location.candidates[0], "it ended the stream"))
            } catch let fault as ReplyFault {
                throw ClientError(fault)
            } catch let error as ClientError where error.isTransient {
                call.watcher(error)
            }
            state.withLock { $0.connection = nil }
            guard let gap = call.gap else { continue }
            if !call.reportsGapAtOnce { try await reconnect() }
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
    private func reconnect() async throws {
        var backOff = BackOff()
        let start = state.withLock { $0.start }
        if let start, start.duration(to: .now) < .seconds(1) { try await call.pause(backOff.next()) }
        while true {
            do {
                try await begin()
                return call.watcher(nil)
            } catch let error as ClientError
                where error.isTransient || start != nil && error.reason == .limitReached
            {
                // A limit that is reached after a restart, when all clients come at once, was not reached before it.
                call.watcher(error)
            }
            try await call.pause(backOff.next())
        }
    }
}

extension ClientError {
    /// Whether the same call may succeed later: with another daemon, or with another configuration.
    var isTransient: Bool {
        isOfConnection || [.unavailable, .unknownName, .unknownTopic, .unknownRoute].contains(reason)
    }
}

/// The delays between attempts: they grow, and are random so that clients do not retry in step.
package struct BackOff {
    /// The maximum delay.
    package static let limit = Duration.seconds(30)

    private var bound = Duration.milliseconds(100)

    /// Starts with a short delay.
    package init() {}

    /// Returns the next delay.
    package mutating func next() -> Duration {
        defer { bound = min(bound * 2, Self.limit) }
        return bound * Double.random(in: 0.5...1)
    }
}
