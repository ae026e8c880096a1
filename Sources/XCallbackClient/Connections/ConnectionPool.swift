import Synchronization

/// The connections of a client for calls, of which each serves one at a time.
final class ConnectionPool: Sendable {
    /// How often a call is made at most that no daemon reads.
    private static let attemptLimit = 10

    /// Where the daemon is.
    let location: SocketLocation
    private let limit: Int
    private let blocking: BlockingWait?
    private let state = Mutex(State())

    private struct State {
        var idle: [ClientConnection] = []
        var busyCount = 0
        /// The tasks that wait for others to be done, in their order.
        var waiting: [(id: UInt64, continuation: CheckedContinuation<Void, any Error>)] = []
        var lastID: UInt64 = 0
    }

    /// Creates a pool without connections.
    ///
    /// - Parameters:
    ///   - location: Where the daemon is.
    ///   - limit: How many connections may be in use at a time.
    ///   - blocking: How they wait if they may hold up their thread.
    init(_ location: SocketLocation, limit: Int, blocking: BlockingWait? = nil) {
        self.location = location
        self.limit = limit
        self.blocking = blocking
    }

    /// Calls a function with a connection that the pool does not count, and that stays the function's.
    ///
    /// - Throws: What the function throws, ``ClientError`` if there is no connection, or `CancellationError`.
    func withNewConnection<Result>(_ body: (ClientConnection) async throws -> Result) async throws -> Result {
        try await withConnection(nil, body)
    }

    /// Calls a function with a connection that nobody else uses meanwhile, after waiting for one if need be.
    ///
    /// - Throws: What the function throws, ``ClientError`` if there is no connection, or `CancellationError`.
    func withConnection<Result>(_ body: (ClientConnection) async throws -> Result) async throws -> Result {
        try await takeTurn()
        defer { endTurn() }
        return try await withConnection(takeIdle()) { connection in
            defer { keep(connection) }
            return try await body(connection)
        }
    }

    /// Calls a function with a connection, and with another one if the daemon went before it had read the call.
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

    /// Waits before something is tried again.
    ///
    /// - Throws: `CancellationError`.
    func pause(for time: Duration) async throws {
        if let blocking { try blocking.pause(for: time) } else { try await Task.sleep(for: time) }
    }

    private func connect() async throws -> ClientConnection {
        try await ClientConnection(connectingTo: location.path(), blocking: blocking)
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
                    // A task that was cancelled before is not among those who wait when it is looked for.
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

    /// Passes the turn on to who waits longest, or back.
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
