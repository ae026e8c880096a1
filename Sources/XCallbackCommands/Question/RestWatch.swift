/// Tells when a tool that shows a window has shown it, and how long answers do not count.
///
/// What the user types or clicks where a window appears was not meant for it. No tool tells when that is, but one that
/// waits for the user has nothing to do.
package struct RestWatch {
    /// How long the window has to be there before an answer counts.
    static let deafTime = Duration.milliseconds(500)
    /// How long a tool has to do nothing before its window is taken to be there.
    static let restTime = Duration.milliseconds(150)
    /// How long that is waited for: a tool may never come to rest.
    static let patience = Duration.seconds(3)
    /// How often a tool is looked at.
    static let interval = Duration.milliseconds(25)

    private let startTime: ContinuousClock.Instant
    private var activeTime: ContinuousClock.Instant
    private var processorTime: UInt64 = 0
    private var shownTime: ContinuousClock.Instant?

    /// Begins as the tool is started.
    package init(at time: ContinuousClock.Instant) {
        startTime = time
        activeTime = time
    }

    /// Notes how a tool is.
    ///
    /// - Parameters:
    ///   - isAsleep: Whether it waits for something.
    ///   - processorTime: How long it was executed until now.
    ///   - time: The time.
    package mutating func note(isAsleep: Bool, processorTime: UInt64, at time: ContinuousClock.Instant) {
        if shownTime != nil { return }
        if !isAsleep || processorTime != self.processorTime { activeTime = time }
        self.processorTime = processorTime
        if time - activeTime >= Self.restTime || time - startTime >= Self.patience { shownTime = time }
    }

    /// Whether an answer does not count yet.
    package func isDeaf(at time: ContinuousClock.Instant) -> Bool {
        shownTime.map { time - $0 < Self.deafTime } ?? true
    }
}
