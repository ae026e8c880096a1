import Synchronization

/// A service manager that only listens for signs of life, and notes the longest time without one.
final class Watchdog: Sendable {
    /// After how long a service manager would end the daemon, which shows that it lives in half the time.
    static let microseconds = 500_000

    private struct State {
        var last = ContinuousClock.now
        var longest = Duration.zero
        var isOver = false

        /// Notes a sign, or the end.
        mutating func note(_ now: ContinuousClock.Instant) {
            longest = max(longest, now - last)
            last = now
        }
    }

    private let state = Mutex(State())

    /// Listens from now on.
    init(_ manager: DatagramSocket) {
        manager.read { lines in
            self.state.withLock { state in
                if lines.contains("WATCHDOG=1") { state.note(.now) }
                return !state.isOver
            }
        }
    }

    /// Begins to count.
    func begin() {
        state.withLock { $0 = State() }
    }

    /// Listens no more, and returns the longest silence in seconds.
    func end() -> Double {
        state.withLock { state in
            if !state.isOver { state.note(.now) }
            state.isOver = true
            return state.longest / .seconds(1)
        }
    }
}
