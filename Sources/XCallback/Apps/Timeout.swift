import Synchronization
import XCallbackURL

/// Waits for what a function comes to, but not longer than a time, and not longer than the task lives.
///
/// The function is cancelled then, but not waited for, whatever it does.
///
/// - Throws: What the function throws; ``CallbackError`` 504; `CancellationError`.
func withTimeout<Result: Sendable>(
    _ timeout: Duration, _ body: @escaping @Sendable () async throws -> Result
) async throws -> Result {
    try Task.checkCancellation()
    let race = Race<Result>()
    return try await withTaskCancellationHandler {
        try await withCheckedThrowingContinuation { continuation in
            race.begin(continuation)
            race.enter(Task { race.end(with: await Swift.Result(catching: body)) })
            race.enter(
                Task {
                    try await Task.sleep(for: timeout)
                    race.end(with: .failure(CallbackError(.timedOut, "No answer came within \(timeout).")))
                })
        }
    } onCancel: {
        race.end(with: .failure(CancellationError()))
    }
}

/// Several tasks, of which the first one that ends says what all come to.
private final class Race<Value: Sendable>: Sendable {
    private struct State {
        var continuation: CheckedContinuation<Value, any Error>?
        var tasks: [@Sendable () -> Void] = []
        var result: Result<Value, any Error>?
    }

    private let state = Mutex(State())

    /// Begins to wait.
    func begin(_ continuation: CheckedContinuation<Value, any Error>) {
        let result = state.withLock { state in
            if state.result == nil { state.continuation = continuation }
            return state.result
        }
        if let result { continuation.resume(with: result) }
    }

    /// Adds a task, which is cancelled at the end.
    func enter<Failure: Error>(_ task: Task<Void, Failure>) {
        let isOver = state.withLock { state in
            if state.result == nil { state.tasks.append { task.cancel() } }
            return state.result != nil
        }
        if isOver { task.cancel() }
    }

    /// Ends with a result, unless it has ended.
    func end(with result: Result<Value, any Error>) {
        let (continuation, tasks) = state.withLock { state in
            guard state.result == nil else {
                return (nil, []) as (CheckedContinuation<Value, any Error>?, [@Sendable () -> Void])
            }
            state.result = result
            defer { state.tasks = [] }
            return (state.continuation.take(), state.tasks)
        }
        for cancel in tasks { cancel() }
        continuation?.resume(with: result)
    }
}

extension Result where Failure == any Error {
    fileprivate init(catching body: () async throws -> Success) async {
        do {
            self = .success(try await body())
        } catch {
            self = .failure(error)
        }
    }
}
