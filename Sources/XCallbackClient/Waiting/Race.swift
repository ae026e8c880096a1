import Synchronization

/// Several operations of which the first to end determines the result.
package final class Race<Value: Sendable>: Sendable {
    private struct State {
        var continuation: CheckedContinuation<Value, any Error>?
        var tasks: [Task<Void, Never>] = []
        var result: Result<Value, any Error>?
    }

    private let state = Mutex(State())

    /// Waits for the first operation to end, or for the cancellation of the task.
    ///
    /// - Parameter start: Starts the operations.
    /// - Returns: The result of the first operation that ends.
    /// - Throws: The error of the first operation that ends; `CancellationError`.
    package static func result(_ start: (Race) -> Void) async throws -> Value {
        let race = Race()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                race.begin(continuation)
                start(race)
            }
        } onCancel: {
            race.end(with: .failure(CancellationError()))
        }
    }

    private func begin(_ continuation: CheckedContinuation<Value, any Error>) {
        let result = state.withLock { state in
            if state.result == nil { state.continuation = continuation }
            return state.result
        }
        if let result { continuation.resume(with: result) }
    }

    /// Runs a function, which is cancelled at the end of the race.
    func enter(_ body: @escaping @Sendable () async throws -> Value) {
        let task = Task {
            do { end(with: .success(try await body())) } catch { end(with: .failure(error)) }
        }
        let isOver = state.withLock { state in
            if state.result == nil { state.tasks.append(task) }
            return state.result != nil
        }
        if isOver { task.cancel() }
    }

    /// Ends the race with a result, unless it has already ended.
    package func end(with result: Result<Value, any Error>) {
        let (continuation, tasks) = state.withLock { state in
            guard state.result == nil else {
                return (nil, []) as (CheckedContinuation<Value, any Error>?, [Task<Void, Never>])
            }
            state.result = result
            defer { state.tasks = [] }
            return (state.continuation.take(), state.tasks)
        }
        for task in tasks { task.cancel() }
        continuation?.resume(with: result)
    }
}
