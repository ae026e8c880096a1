/// Determines when a tool has shown its window, and until when answers are ignored.
///
/// Keys and clicks at the moment a window appears were not meant for it. No tool reports that moment, but a tool that waits
/// for the user is idle.
package struct RestWatch {
    /// How long the window must be visible before an answer counts.
    static let deafTime = Duration.milliseconds(500)
    /// How long a tool must be idle before its window is considered visible.
    static let restTime = Duration.milliseconds(150)
    /// How long the idle state is awaited: a tool may never become idle.
    static let patience = Duration.seconds(3)
    /// The polling interval.
    static let interval = Duration.milliseconds(25)

    private let startTime: ContinuousClock.Instant
    private var activeTime: ContinuousClock.Instant
    private var processorTime: UInt64 = 0
    private var shownTime: ContinuousClock.Instant?

    /// Creates the watch at the start of the tool.
    package init(at time: ContinuousClock.Instant) {
        startTime = time
        activeTime = time
    }

    /// Records the state of the tool.
    ///
    /// - Parameters:
    ///   - isAsleep: Whether it waits for an event.
    ///   - processorTime: Its processor time so far.
    ///   - time: The current time.
    package mutating func note(isAsleep: Bool, processorTime: UInt64, at time: ContinuousClock.Instant) {
        if shownTime != nil { return }
        if !isAsleep || processorTime != self.processorTime { activeTime = time }
        self.processorTime = processorTime
        if time - activeTime >= Self.restTime || time - startTime >= Self.patience { shownTime = time }
    }

    /// Whether answers are still ignored.
    package func isDeaf(at time: ContinuousClock.Instant) -> Bool {
        shownTime.map { time - $0 < Self.deafTime } ?? true
    }
}
