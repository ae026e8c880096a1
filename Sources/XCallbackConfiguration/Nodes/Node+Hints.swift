/// The values that were probably meant by values of the wrong type.
extension Node {
    /// Returns `true` or `false` for words with that meaning elsewhere.
    static func boolHint(_ text: String) -> String? {
        switch text.lowercased() {
        case "yes", "on", "y", "1": "true"
        case "no", "off", "n", "0": "false"
        default: nil
        }
    }

    /// The meaning of a text that is a word for true or false, where a name or another text is expected.
    ///
    /// The author of `no` probably wants none. Nil for other texts.
    package var truth: Bool? {
        guard case .scalar(let scalar) = content else { return nil }
        switch scalar.text.lowercased() {
        case "true": return true
        case "false", "never", "none": return false
        default: return Self.boolHint(scalar.text).map { $0 == "true" }
        }
    }

    /// Returns decimal digits for an integer in another notation: `010`, `0x10`, `1_000`, `4KiB`.
    static func integerHint(_ text: String) -> String? {
        let digits = text.lowercased().filter { $0 != "_" && $0 != "," && $0 != "'" }
        if let number = Int(digits) { return "\(number)" }
        for (prefix, radix) in [("0x", 16), ("0o", 8), ("0b", 2)] where digits.hasPrefix(prefix) {
            return Int(digits.dropFirst(prefix.count), radix: radix).map { "\($0)" }
        }
        return (ByteCount.bytes(text) ?? byteCountHint(text).flatMap { ByteCount.bytes($0) }).map { "\($0)" }
    }

    /// Returns a duration with a valid unit: for `5`, `5sec`, `5 s`, `1:30`.
    static func durationHint(_ text: String) -> String? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false).map { Int($0) }
        if parts.count == 2, let minutes = parts[0], let seconds = parts[1], (0..<60).contains(seconds) {
            let (total, isOverflow) = minutes.multipliedReportingOverflow(by: 60)
            return isOverflow ? nil : Duration(text: "\(total &+ seconds)s")?.text
        }
        guard let (number, word) = text.numberAndWord, let unit = timeUnits[word] else { return nil }
        return Duration(text: number + unit) == nil ? nil : number + unit
    }

    /// Returns a size with a valid unit: for `64KB`, `64k`, `1.5KiB`.
    static func byteCountHint(_ text: String) -> String? {
        let units = [
            "": "", "b": "", "k": "KiB", "kb": "KiB", "kib": "KiB", "m": "MiB", "mb": "MiB", "mib": "MiB", "g": "GiB",
            "gb": "GiB", "gib": "GiB",
        ]
        guard let (number, word) = text.numberAndWord, let unit = units[word] else { return nil }
        if ByteCount.bytes(number + unit) != nil { return number + unit }
        guard let count = Double(number), let size = ByteCount.bytes("1" + unit) else { return nil }
        return Int(exactly: (count * Double(size)).rounded()).map { ByteCount.text($0) }
    }

    /// Returns a rate with a valid unit: for `10`, `10/min`, `10 per second`.
    static func rateHint(_ text: String) -> String? {
        guard let (number, word) = text.numberAndWord else { return nil }
        var unit = word[...]
        for separator in ["/", "per"] where unit.hasPrefix(separator) { unit = unit.dropFirst(separator.count) }
        guard let letter = timeUnits[unit.filter { $0 != " " }], letter != "ms" else { return nil }
        let rate = "\(number)/\(letter)"
        return Rate(rate) == nil ? nil : rate
    }

    private static let timeUnits = [
        "": "s", "s": "s", "sec": "s", "secs": "s", "second": "s", "seconds": "s", "ms": "ms", "msec": "ms",
        "millis": "ms", "m": "m", "min": "m", "mins": "m", "minute": "m", "minutes": "m", "h": "h", "hr": "h",
        "hour": "h", "hours": "h", "d": "d", "day": "d", "days": "d",
    ]
}

extension String {
    /// A number and the following word in lowercase, which may be empty; nil if the text does not start with a number.
    fileprivate var numberAndWord: (number: String, word: String)? {
        let number = prefix { ("0"..."9").contains($0) || $0 == "." }
        if number.isEmpty { return nil }
        return (String(number), dropFirst(number.count).lowercased().filter { $0 != " " })
    }
}
