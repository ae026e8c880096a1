import Synchronization

/// The connections of a client for calls; each serves one call at a time.
final class ConnectionPool: Sendable {
    /// The maximum number of attempts for a call that no daemon reads.
    private static let attemptLimit = 10

    /// The location of the daemon's socket.
    let location: SocketLocation
    private let permits: AsyncSemaphore
    private let idle = Mutex<[ClientConnection]>([])

    /// Creates an empty pool.
    ///
    /// - Parameters:
    ///   - location: The location of the daemon's socket.
    ///   - limit: The maximum number of connections in use.
    init(_ location: SocketLocation, limit: Int) {
        self.location = location
        permits = AsyncSemaphore(limit: limit)
    }

    /// Calls a function with a connection that belongs to the function and does not count toward the limit.
    ///
    /// - Throws: The error of the function; ``ClientError`` if there is no connection; `CancellationError`.
    func withNewConnection<Result>(_ body: (ClientConnection) async throws -> Result) async throws -> Result {
        try await withConnection(nil, body)
    }

    /// Calls a function with exclusive use of a connection, after waiting for one if necessary.
    ///
    /// - Throws: The error of the function; ``ClientError`` if there is no connection; `CancellationError`.
    func withConnection<Result>(_ body: (ClientConnection) async throws -> Result) async throws -> Result {
        try await permits.withPermit {
            try await withConnection(takeIdle()) { connection in
                defer { keep(connection) }
                return try await body(connection)
            }
        }
    }

    /// Calls a function with a connection, and again with another one if the daemon went away before it read the call.
    private func withConnection<Result>(
        _ first: ClientConnection?, _ body: (ClientConnection) async throws -> Result
    ) async throws -> Result {
        var connection = if let first { first } else { try await connect() }
        for _ in 1..<Self.attemptLimit {
            do {
                return try await body(connection)
            } catch let error as ClientError where error.reason == .disconnected && connection.hasUnread {
                connection = try await connect()
            }
        }
        return try await body(connection)
    }

    private func connect() async throws -> ClientConnection {
        try await ClientConnection(connectingTo: location.path())
    }

    private func takeIdle() -> ClientConnection? {
        idle.withLock { idle in
            while let connection = idle.popLast() {
                if connection.isIdle { return connection }
            }
            return nil
        }
    }

    private func keep(_ connection: ClientConnection) {
        guard connection.isIdle else { return connection.close() }
        idle.withLock { $0.append(connection) }
    }
}
