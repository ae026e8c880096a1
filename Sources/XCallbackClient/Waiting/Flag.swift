import Synchronization

/// Something that has happened or not yet.
final class Flag: Sendable {
    private struct State {
        var isRaised = false
        var pause: Task<Void, any Error>?
    }

    private let state = Mutex(State())

    /// Whether it has happened.
    var isRaised: Bool { state.withLock(\.isRaised) }

    /// Notes that it has happened.
    func raise() {
        let pause = state.withLock { state in
            state.isRaised = true
            return state.pause.take()
        }
        pause?.cancel()
    }

    /// Waits for a time, one caller at a time.
    ///
    /// - Throws: `CancellationError` if the task is cancelled, or it has happened.
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
