import Dispatch
import Synchronization
import XCallbackURL

/// Waits for the result of a function, but only until a timeout or until the task is cancelled.
///
/// Then the function is cancelled, but not awaited.
///
/// - Throws: The error of the function; ``CallbackError`` 504; `CancellationError`.
package func withTimeout<Result: Sendable>(
    _ timeout: Duration, _ body: @escaping @Sendable () async throws -> Result
) async throws -> Result {
    try Task.checkCancellation()
    return try await Race.result { race in
        race.enter(body)
        race.fail(with: CallbackError(.timedOut, "No answer came within \(timeout).", by: .connection), after: timeout)
    }
}

/// Calls a blocking function, which must not block the threads that all tasks share.
package func onThreadThatMayWait(_ body: @escaping @Sendable () throws -> Void) async throws {
    try await withCheckedThrowingContinuation { continuation in
        DispatchQueue.global().async { continuation.resume(with: Result { try body() }) }
    }
}

private let timers = DispatchQueue(label: "xcallback.timers")

/// Several operations of which the first to end determines the result.
package final class Race<Value: Sendable>: Sendable {
    private struct State {
        var continuation: CheckedContinuation<Value, any Error>?
        /// What is stopped at the end.
        var task: Task<Void, Never>?
        var timer: (any DispatchSourceTimer)?
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
    ///
    /// It begins at once, because one that need not wait, such as a router in the process, then needs no thread and no timer.
    fileprivate func enter(_ body: @escaping @Sendable () async throws -> Value) {
        let task = Task.immediate {
            do { end(with: .success(try await body())) } catch { end(with: .failure(error)) }
        }
        let isOver = state.withLock { state in
            state.task = task
            return state.result != nil
        }
        if isOver { task.cancel() }
    }

    /// Ends the race with an error after a time.
    ///
    /// A timer that is cancelled leaves nothing behind. A cancelled `Task.sleep` keeps its memory until its time.
    fileprivate func fail(with error: any Error, after time: Duration) {
        state.withLock { state in
            guard state.result == nil else { return }
            let timer = DispatchSource.makeTimerSource(queue: timers)
            timer.schedule(deadline: .now() + min(max(time / .seconds(1), 0), 1e9), leeway: .milliseconds(1))
            timer.setEventHandler { @Sendable in self.end(with: .failure(error)) }
            timer.activate()
            state.timer = timer
        }
    }

    /// Ends the race with a result, unless it has already ended.
    @discardableResult
    package func end(with result: Result<Value, any Error>) -> Bool {
        let (isFirst, task, continuation) = state.withLock { state in
            let isFirst = state.result == nil
            if isFirst { state.result = result }
            state.timer.take()?.cancel()
            return (isFirst, state.task.take(), state.continuation.take())
        }
        task?.cancel()
        continuation?.resume(with: result)
        return isFirst
    }
}

/// Bounds the number of operations in progress; the others wait in order.
final class AsyncSemaphore: Sendable {
    /// The permits of a task that answers a request of its own process, whose caller may hold the last one of all others.
    @TaskLocal static var nested: AsyncSemaphore?

    /// Permits for the calls that the answer to one request makes.
    static var ofRequest: AsyncSemaphore { AsyncSemaphore(limit: 16) }

    private let limit: Int
    private let state = Mutex(State())

    private struct State {
        var busyCount = 0
        /// The tasks that wait, in order.
        var waiting: [Race<Void>] = []
    }

    init(limit: Int) {
        self.limit = limit
    }

    /// Calls a function, after waiting for a permit if necessary.
    ///
    /// - Throws: The error of the function; `CancellationError` if the task is cancelled before.
    func withPermit<Result>(_ body: () async throws -> Result) async throws -> Result {
        let permits = Self.nested ?? self
        try await permits.take()
        defer { permits.end() }
        return try await body()
    }

    private func take() async throws {
        try await Race<Void>.result { race in
            let isFree = state.withLock { state in
                if state.busyCount >= limit { state.waiting.append(race) } else { state.busyCount += 1 }
                return state.waiting.isEmpty
            }
            if isFree, !race.end(with: .success(())) { end() }
        }
    }

    /// Gives the permit to the task that has waited longest, or back.
    private func end() {
        while true {
            let next = state.withLock { state in
                if state.waiting.isEmpty { state.busyCount -= 1 }
                return state.waiting.isEmpty ? nil : state.waiting.removeFirst()
            }
            // One that was cancelled meanwhile does not take the turn.
            guard let next, !next.end(with: .success(())) else { return }
        }
    }
}

/// A flag that can be raised once.
final class Flag: Sendable {
    private struct State {
        var isRaised = false
        var pause: Task<Void, any Error>?
    }

    private let state = Mutex(State())

    /// Whether the flag is raised.
    var isRaised: Bool { state.withLock(\.isRaised) }

    /// Raises the flag.
    func raise() {
        let pause = state.withLock { state in
            state.isRaised = true
            return state.pause.take()
        }
        pause?.cancel()
    }

    /// Waits for a time; only one caller can wait at a time.
    ///
    /// - Throws: `CancellationError` if the task is cancelled or the flag is raised.
    @Sendable func sleep(for time: Duration) async throws {
        let pause = Task { try await Task.sleep(for: time) }
        let isRaised = state.withLock { state in
            state.pause = pause
            return state.isRaised
        }
        if isRaised { pause.cancel() }
        try await withTaskCancellationHandler {
            try await pause.value
        } onCancel: {
            pause.cancel()
        }
    }
}
