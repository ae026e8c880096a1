import Foundation
import Synchronization

/// How much anonymous memory a process takes at most, on top of what it had.
final class MemoryPeak: Sendable {
    private struct State {
        var most: Double
        var isOver = false
    }

    private let start: Double
    private let state: Mutex<State>

    /// Looks at the memory of a process from now on, fifty times a second.
    init(of process: pid_t) throws {
        let facts = ProcessFacts(identifier: process)
        start = try facts.anonymousMemory()
        state = Mutex(State(most: start))
        Thread.detachNewThread {
            while let now = try? facts.anonymousMemory(), self.note(now) { usleep(20_000) }
        }
    }

    /// Notes what the process has now, and returns whether to go on.
    private func note(_ now: Double) -> Bool {
        state.withLock { state in
            state.most = max(state.most, now)
            return !state.isOver
        }
    }

    /// Looks no more, and returns what the process has taken, in MiB.
    func end() -> Double {
        state.withLock { state in
            state.isOver = true
            return (state.most - start) / 1024
        }
    }
}
