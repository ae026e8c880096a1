import XCallbackWire

/// A number of events per period.
///
/// Events are admitted by the generic cell rate algorithm (ITU-T I.371), which keeps only the time at which a steady stream
/// would have sent the next event.
package struct RateLimit: Hashable, Sendable {
    /// The number of events; all of them can come at once.
    package let count: Int
    /// The period.
    package let period: Duration
    /// The time between two events of a steady stream, in nanoseconds.
    private let interval: Int64
    /// The maximum time by which events can be ahead of a steady stream, in nanoseconds.
    private let tolerance: Int64

    /// Creates a rate.
    ///
    /// - Parameters:
    ///   - count: The number of events; at least 1.
    ///   - period: The period; more than zero.
    package init(count: Int, period: Duration) {
        self.count = max(count, 1)
        self.period = period
        interval = (period / self.count).wholeNanoseconds
        tolerance = period.wholeNanoseconds - interval
    }

    /// Admits an event.
    ///
    /// - Parameters:
    ///   - due: When this event is due; nil if there was none before.
    ///   - now: The current time in nanoseconds.
    /// - Returns: When the next event is due; nil if this one is too early.
    package func next(after due: Int64?, at now: Int64) -> Int64? {
        let due = max(due ?? now, now)
        return due - now <= tolerance ? due + interval : nil
    }
}
