import Glibc

extension Duration {
    /// The duration in seconds, with fraction.
    private var seconds: Double {
        let (seconds, attoseconds) = components
        return Double(seconds) + Double(attoseconds) / 1e18
    }

    /// The duration with two or three digits and a unit, from microseconds to seconds.
    var shortText: String {
        let (value, unit) =
            switch seconds {
            case ..<0.000_999_5: (seconds * 1e6, "µs")
            case ..<0.999_5: (seconds * 1e3, "ms")
            default: (seconds, "s")
            }
        if value >= 9.95 { return "\(Int(value.rounded())) \(unit)" }
        if value == 0 { return "0 \(unit)" }
        let tenths = Int((value * 10).rounded())
        return "\(tenths / 10).\(tenths % 10) \(unit)"
    }

    /// The duration in its two largest units, from seconds to days.
    var roughText: String {
        let seconds = Int(max(seconds, 0))
        let units = [("d", 86_400), ("h", 3_600), ("min", 60), ("s", 1)]
        guard let first = units.firstIndex(where: { seconds >= $0.1 }) else { return "0 s" }
        let major = "\(seconds / units[first].1) \(units[first].0)"
        guard first + 1 < units.count else { return major }
        return "\(major) \(seconds % units[first].1 / units[first + 1].1) \(units[first + 1].0)"
    }
}

extension Duration {
    /// The local time of day, for a time since the start of 1970.
    var clockText: String {
        let (seconds, attoseconds) = components
        var moment = time_t(seconds)
        var parts = tm()
        localtime_r(&moment, &parts)
        func digits(_ number: Int32, _ count: Int) -> String {
            let text = "\(number)"
            return String(repeating: "0", count: max(count - text.count, 0)) + text
        }
        let milliseconds = Int32(attoseconds / 1_000_000_000_000_000)
        return "\(digits(parts.tm_hour, 2)):\(digits(parts.tm_min, 2)):\(digits(parts.tm_sec, 2))"
            + ".\(digits(milliseconds, 3))"
    }
}
