/// A rate, written `10/s`.
package struct Rate: Hashable, Sendable {
    /// The number of times, at least once.
    package let count: Int
    /// The period.
    package let period: Duration

    /// Creates a rate.
    package init(count: Int, per period: Duration) {
        self.count = count
        self.period = period
    }

    /// Creates a rate from text: a count, a slash, and one of `s`, `m`, `h` and `d`.
    ///
    /// - Returns: `nil` for any other text, and for a count of zero.
    package init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let count = Int(decimal: parts[0]), count > 0 else { return nil }
        guard let seconds = ["s": 1, "m": 60, "h": 3_600, "d": 86_400][parts[1]] else { return nil }
        self.init(count: count, per: .seconds(seconds))
    }
}
