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

/// A rate, written `10/s`.
package struct Rate {
    /// The number of times, at least once.
    package let count: Int
    /// The period.
    package let period: Duration

    /// Creates a rate from text: a count, a slash, and one of `s`, `m`, `h` and `d`; nil for any other text.
    init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let count = Int(decimal: parts[0]), count > 0 else { return nil }
        guard let seconds = ["s": 1, "m": 60, "h": 3_600, "d": 86_400][parts[1]] else { return nil }
        self.count = count
        period = .seconds(seconds)
    }
}

/// The written forms of sizes: `512`, `64KiB`, `1MiB`.
enum ByteCount {
    private static let units: [(name: String, bytes: Int)] = [("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)]

    /// Returns the number of bytes for a text; nil if it does not have one of these forms.
    static func bytes(_ text: String) -> Int? {
        let unit = units.first { text.hasSuffix($0.name) }
        guard let count = Int(decimal: text.dropLast(unit?.name.count ?? 0)), count >= 0 else { return nil }
        let (bytes, isOverflow) = count.multipliedReportingOverflow(by: unit?.bytes ?? 1)
        return isOverflow ? nil : bytes
    }

    /// Returns the text for a number of bytes, in the largest unit without a remainder.
    static func text(_ bytes: Int) -> String {
        guard bytes > 0, let unit = units.first(where: { bytes % $0.bytes == 0 }) else { return "\(bytes)" }
        return "\(bytes / unit.bytes)\(unit.name)"
    }
}
