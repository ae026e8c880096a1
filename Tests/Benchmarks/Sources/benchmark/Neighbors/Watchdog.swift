import Synchronization

/// A service manager that only receives watchdog notifications, and records the longest time without one.
final class Watchdog: Sendable {
    /// The watchdog timeout of the daemon, which sends a notification in half that time.
    static let microseconds = 500_000

    private struct State {
        var last = ContinuousClock.now
        var longest = Duration.zero
        var isOver = false

        /// Records a notification, or the end.
        mutating func note(_ now: ContinuousClock.Instant) {
            longest = max(longest, now - last)
            last = now
        }
    }

    private let state = Mutex(State())

    /// Receives from now on.
    init(_ manager: DatagramSocket) {
        manager.read { lines in
            self.state.withLock { state in
                if lines.contains("WATCHDOG=1") { state.note(.now) }
                return !state.isOver
            }
        }
    }

    /// Starts to count.
    func begin() {
        state.withLock { $0 = State() }
    }

    /// Stops receiving, and returns the longest time without a notification, in seconds.
    func end() -> Double {
        state.withLock { state in
            if !state.isOver { state.note(.now) }
            state.isOver = true
            return state.longest / .seconds(1)
        }
    }
}
