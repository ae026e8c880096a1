extension Node {
    /// Reads a duration such as `5s`, `250ms` or `1.5h`.
    ///
    /// - Parameters:
    ///   - range: The allowed range; nil for any value.
    ///   - faults: The list to which faults are reported.
    /// - Returns: The duration; `nil` after a fault.
    package func duration(in range: ClosedRange<Duration>? = nil, _ faults: FaultList) -> Duration? {
        let form = "a duration such as 5s or 250ms"
        return ranged(form, "a duration", range, text: \.text, faults, hint: Self.durationHint) {
            Duration(text: $0)
        }
    }

    /// Reads a number of bytes such as `512`, `64KiB` or `1MiB`.
    ///
    /// - Parameters:
    ///   - range: The allowed range; nil for any value.
    ///   - faults: The list to which faults are reported.
    /// - Returns: The number of bytes; `nil` after a fault.
    package func byteCount(in range: ClosedRange<Int>? = nil, _ faults: FaultList) -> Int? {
        ranged(
            "a size such as 512, 64KiB or 1MiB", "a size", range, text: ByteCount.text, faults,
            hint: Self.byteCountHint, as: ByteCount.bytes)
    }

    /// Reads a rate such as `10/s` or `100/h`.
    package func rate(_ faults: FaultList) -> Rate? {
        read("a rate such as 10/s, 100/m or 5/h", faults, hint: Self.rateHint) { Rate($0) }
    }

    private func ranged<Value: Comparable>(
        _ form: String,
        _ what: String,
        _ range: ClosedRange<Value>?,
        text: (Value) -> String,
        _ faults: FaultList,
        hint: (String) -> String?,
        as convert: (String) -> Value?
    ) -> Value? {
        guard let value = read(form, faults, hint: hint, as: convert) else { return nil }
        guard let range, !range.contains(value) else { return value }
        return mismatch(expected: what + Self.bounds(text(range.lowerBound), text(range.upperBound)), faults)
    }
}
