extension Duration {
    /// The duration in whole nanoseconds; 0 if it is negative, and at most a century.
    package var wholeNanoseconds: Int64 {
        let century: Int64 = 3_155_760_000
        let (seconds, attoseconds) = components
        return min(max(seconds, 0), century) * 1_000_000_000 + attoseconds / 1_000_000_000
    }
}
