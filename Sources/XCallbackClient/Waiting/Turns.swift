import Synchronization

/// Bounds the number of operations in progress; the others wait in order.
final class Turns: Sendable {
    private let limit: Int
    private let state = Mutex(State())

    private struct State {
        var busyCount = 0
        /// The tasks that wait, in order.
        var waiting: [(id: UInt64, continuation: CheckedContinuation<Void, any Error>)] = []
        var lastID: UInt64 = 0
    }

    init(limit: Int) {
        self.limit = limit
    }

    /// Calls a function, after waiting for a turn if necessary.
    ///
    /// - Throws: The error of the function; `CancellationError` if the task is cancelled before.
    func withTurn<Result>(_ body: () async throws -> Result) async throws -> Result {
        try await take()
        defer { end() }
        return try await body()
    }

    private func take() async throws {
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
    private func end() {
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
