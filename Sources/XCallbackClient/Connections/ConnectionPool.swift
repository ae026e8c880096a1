import Synchronization

/// The connections of a client for calls; each serves one call at a time.
final class ConnectionPool: Sendable {
    /// The maximum number of attempts for a call that no daemon reads.
    private static let attemptLimit = 10

    /// The location of the daemon's socket.
    let location: SocketLocation
    private let limit: Int
    private let state = Mutex(State())

    private struct State {
        var idle: [ClientConnection] = []
        var busyCount = 0
        /// The tasks that wait for a connection, in order.
        var waiting: [(id: UInt64, continuation: CheckedContinuation<Void, any Error>)] = []
        var lastID: UInt64 = 0
    }

    /// Creates an empty pool.
    ///
    /// - Parameters:
    ///   - location: The location of the daemon's socket.
    ///   - limit: The maximum number of connections in use.
    init(_ location: SocketLocation, limit: Int) {
        self.location = location
        self.limit = limit
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
        try await takeTurn()
        defer { endTurn() }
        return try await withConnection(takeIdle()) { connection in
            defer { keep(connection) }
            return try await body(connection)
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
        state.withLock { state in
            while let connection = state.idle.popLast() {
                if connection.isIdle { return connection }
            }
            return nil
        }
    }

    private func keep(_ connection: ClientConnection) {
        guard connection.isIdle else { return connection.close() }
        state.withLock { $0.idle.append(connection) }
    }

    private func takeTurn() async throws {
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let result: Swift.Result<Void, any Error>? = state.withLock { state in
                    // A task that was cancelled earlier is not found among the waiting tasks.
                    if Task.isCancelled { return .failure(CancellationError()) }
                    guard state.busyCount >= limit else {
                        state.busyCount += 1
                        return .success(())
                    }
                    state.waiting.append((id, continuation))
                    return nil
                }
                if let result { continuation.resume(with: result) }
            }
        } onCancel: {
            let waiting = state.withLock { state in
                state.waiting.firstIndex { $0.id == id }.map { state.waiting.remove(at: $0).continuation }
            }
            waiting?.resume(throwing: CancellationError())
        }
    }

    /// Gives the turn to the task that has waited longest, or back.
    private func endTurn() {
        let next = state.withLock { state in
            if state.waiting.isEmpty {
                state.busyCount -= 1
                return nil as CheckedContinuation<Void, any Error>?
            }
            return state.waiting.removeFirst().continuation
        }
        next?.resume()
    }
}
