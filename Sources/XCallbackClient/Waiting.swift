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
        let alarm = Alarms.shared.set(after: timeout) {
            race.end(
                with: .failure(CallbackError(.timedOut, "No answer came within \(timeout).", by: .connection)))
        }
        race.atEnd { Alarms.shared.cancel(alarm) }
    }
}

/// Several operations of which the first to end determines the result.
package final class Race<Value: Sendable>: Sendable {
    private struct State {
        var continuation: CheckedContinuation<Value, any Error>?
        /// What stops the operations.
        var stops: [@Sendable () -> Void] = []
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
    fileprivate func enter(_ body: @escaping @Sendable () async throws -> Value) {
        let task = Task {
            do { end(with: .success(try await body())) } catch { end(with: .failure(error)) }
        }
        atEnd { task.cancel() }
    }

    /// Calls a function at the end of the race, or now if it is over.
    fileprivate func atEnd(_ stop: @escaping @Sendable () -> Void) {
        let isOver = state.withLock { state in
            if state.result == nil { state.stops.append(stop) }
            return state.result != nil
        }
        if isOver { stop() }
    }

    /// Ends the race with a result, unless it has already ended.
    package func end(with result: Result<Value, any Error>) {
        let ended = state.withLock { state -> State? in
            guard state.result == nil else { return nil }
            defer { state = State(result: result) }
            return state
        }
        for stop in ended?.stops ?? [] { stop() }
        ended?.continuation?.resume(with: result)
    }
}

/// Functions that are called at their times, by one timer for all.
///
/// A cancelled alarm leaves nothing behind. A cancelled `Task.sleep` keeps its memory until its time.
final class Alarms: Sendable {
    static let shared = Alarms()

    private struct State {
        var alarms: [UInt64: (time: ContinuousClock.Instant, ring: @Sendable () -> Void)] = [:]
        var lastID: UInt64 = 0
        var timer: (any DispatchSourceTimer)?
        /// When the timer fires.
        var nextTime: ContinuousClock.Instant?

        mutating func setTimer(for time: ContinuousClock.Instant) {
            nextTime = time
            let seconds = ContinuousClock.now.duration(to: time) / .seconds(1)
            timer?.schedule(deadline: .now() + min(max(seconds, 0), 86_400), leeway: .milliseconds(1))
        }
    }

    private let state = Mutex(State())

    private init() {
        state.withLock { state in
            let timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "xcallback.alarms"))
            timer.setEventHandler { @Sendable [weak self] in self?.ring() }
            timer.activate()
            state.timer = timer
        }
    }

    /// Sets an alarm; returns its ID.
    func set(after time: Duration, _ ring: @escaping @Sendable () -> Void) -> UInt64 {
        state.withLock { state in
            let time = ContinuousClock.now + time
            state.lastID += 1
            state.alarms[state.lastID] = (time, ring)
            if state.nextTime.map({ time < $0 }) ?? true { state.setTimer(for: time) }
            return state.lastID
        }
    }

    /// Removes an alarm, if it is still set.
    func cancel(_ id: UInt64) {
        // What it captures is released after the lock.
        _ = state.withLock { $0.alarms.removeValue(forKey: id) }
    }

    private func ring() {
        let due = state.withLock { state in
            let now = ContinuousClock.now
            let due = state.alarms.filter { $0.value.time <= now }
            for id in due.keys { state.alarms[id] = nil }
            state.nextTime = nil
            if let time = state.alarms.values.map(\.time).min() { state.setTimer(for: time) }
            return due.values.map(\.ring)
        }
        for ring in due { ring() }
    }
}

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
