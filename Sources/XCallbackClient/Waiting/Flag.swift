import Synchronization

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
    func sleep(for time: Duration) async throws {
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
