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
