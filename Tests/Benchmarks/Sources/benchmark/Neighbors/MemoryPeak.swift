import Foundation
import Synchronization

/// The peak of a process's anonymous memory, above its initial size.
final class MemoryPeak: Sendable {
    private struct State {
        var most: Double
        var isOver = false
    }

    private let start: Double
    private let state: Mutex<State>

    /// Samples the memory of a process from now on, fifty times a second.
    init(of process: pid_t) throws {
        let facts = ProcessFacts(identifier: process)
        start = try facts.anonymousMemory()
        state = Mutex(State(most: start))
        Thread.detachNewThread {
            while let now = try? facts.anonymousMemory(), self.note(now) { usleep(20_000) }
        }
    }

    /// Records the current size, and returns whether to continue.
    private func note(_ now: Double) -> Bool {
        state.withLock { state in
            state.most = max(state.most, now)
            return !state.isOver
        }
    }

    /// Stops sampling, and returns the peak in MiB.
    func end() -> Double {
        state.withLock { state in
            state.isOver = true
            return (state.most - start) / 1024
        }
    }
}
