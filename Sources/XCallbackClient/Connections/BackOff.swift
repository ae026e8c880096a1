/// How long to wait before something is tried again: longer each time, and never as long as others do.
package struct BackOff {
    /// The longest time.
    package static let limit = Duration.seconds(30)

    private var bound = Duration.milliseconds(100)

    /// Begins with a short time.
    package init() {}

    /// The next time.
    package mutating func next() -> Duration {
        defer { bound = min(bound * 2, Self.limit) }
        return bound * Double.random(in: 0.5...1)
    }
}
