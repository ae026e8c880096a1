extension Duration {
    private static let units: [(name: String, nanoseconds: Int64)] = [
        ("d", 86_400_000_000_000), ("h", 3_600_000_000_000), ("m", 60_000_000_000),
        ("s", 1_000_000_000), ("ms", 1_000_000), ("us", 1_000), ("ns", 1),
    ]

    /// Creates a duration from text: a decimal number immediately followed by `ms`, `s`, `m`, `h` or `d`.
    ///
    /// - Returns: `nil` for any other text, and for more than 292 years.
    package init?(text: String) {
        let number = text.prefix { $0 == "." || ("0"..."9").contains($0) }
        let parts = number.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        let fraction = parts.count == 2 ? parts[1] : "0"
        let unit = Self.units.dropLast(2).first { $0.name == text.dropFirst(number.count) }
        // Twelve and nine digits times the nanoseconds of a day fit into 128 bits.
        guard let unit, let whole = parts.first, (1...12).contains(whole.utf8.count),
            (1...9).contains(fraction.utf8.count), let digits = Int128(String(whole) + String(fraction))
        else { return nil }
        var nanoseconds = digits * Int128(unit.nanoseconds)
        for _ in fraction.utf8 { nanoseconds /= 10 }
        guard let nanoseconds = Int64(exactly: nanoseconds) else { return nil }
        self = .nanoseconds(nanoseconds)
    }

    /// The written form, in the largest unit without a remainder: `90s` and not `1.5m`.
    package var text: String {
        let (seconds, attoseconds) = components
        let nanoseconds = Int128(seconds) * 1_000_000_000 + Int128(attoseconds / 1_000_000_000)
        guard nanoseconds != 0, let unit = Self.units.first(where: { nanoseconds % Int128($0.nanoseconds) == 0 })
        else { return "0s" }
        return "\(nanoseconds / Int128(unit.nanoseconds))\(unit.name)"
    }
}
