extension Node {
    /// Reads a string; `5` and `true` are strings too, an empty value is not.
    package func string(_ faults: FaultList) -> String? {
        if case .mapping(let members) = content, members.count == 1, let member = members.first, member.value.isNull {
            let key = member.key.visible
            // A mapping in braces starts before its first key: `{name}`.
            let hint =
                (member.place.line, member.place.column) == (place.line, place.column)
                ? "leave out the ':' after '\(key)'" : "text that begins with a brace needs quotes: \"{\(key)}\""
            faults.report("expected text, found a mapping: \(hint)", at: place)
            return nil
        }
        if isNull {
            if let hint = faults.cutTextHint(at: place) {
                faults.report("expected text, found nothing: \(hint)", at: place)
                return nil
            }
            if case .scalar(let scalar) = content, scalar.text.utf8.count == 4 {
                faults.report(
                    "expected text, found nothing: put '\(scalar.text)' in quotes if you mean text", at: place)
                return nil
            }
        }
        return scalarText(expected: "text", faults)
    }

    /// Reads `true` or `false`, also in the other YAML spellings: `True`, `TRUE`; in quotes they are strings.
    package func bool(_ faults: FaultList) -> Bool? {
        readUnquoted("true or false", faults, hint: Self.boolHint) { text in
            switch text {
            case "true", "True", "TRUE": true
            case "false", "False", "FALSE": false
            default: nil
            }
        }
    }

    /// Reads an integer in decimal digits; in quotes it is a string.
    package func integer(in range: ClosedRange<Int> = .min ... .max, _ faults: FaultList) -> Int? {
        let lower = range.lowerBound == .min ? nil : "\(range.lowerBound)"
        let upper = range.upperBound == .max ? nil : "\(range.upperBound)"
        return readUnquoted("a whole number" + Self.bounds(lower, upper), faults, hint: Self.integerHint) { text in
            Int(decimal: text).flatMap { range.contains($0) ? $0 : nil }
        }
    }

    /// Reads one of a set of words.
    package func choice(of words: [String], _ faults: FaultList) -> String? {
        guard case .scalar(let scalar) = content, !scalar.isNull else {
            return mismatch(expected: words.alternatives, faults)
        }
        if words.contains(scalar.text) { return scalar.text }
        let suggestion = scalar.text.suggestion(among: words, areKeys: true)
        faults.report("expected \(words.alternatives), found \(found)\(suggestion)", at: place)
        return nil
    }

    /// Reads a case of an enumeration by its raw value.
    package func choice<Choice: CaseIterable & RawRepresentable<String>>(
        of type: Choice.Type,
        _ faults: FaultList
    ) -> Choice? {
        choice(of: type.allCases.map(\.rawValue), faults).flatMap { Choice(rawValue: $0) }
    }

    /// Returns the text of a scalar that is not null; reports any other value.
    func scalarText(expected: String, _ faults: FaultList) -> String? {
        guard case .scalar(let scalar) = content, !scalar.isNull else { return mismatch(expected: expected, faults) }
        return scalar.text
    }

    /// Converts the text of a scalar, or reports what was expected.
    ///
    /// - Parameters:
    ///   - expected: The expected value.
    ///   - faults: The list to which faults are reported.
    ///   - hint: Returns the value that was probably meant by an invalid text; reported if it can be converted.
    ///   - convert: Converts a text.
    /// - Returns: The value; nil after a fault.
    func read<Value>(
        _ expected: String, _ faults: FaultList, hint: (String) -> String? = { _ in nil },
        as convert: (String) -> Value?
    ) -> Value? {
        guard let text = scalarText(expected: expected, faults) else { return nil }
        if let value = convert(text) { return value }
        let suggestion = hint(text).flatMap { convert($0) == nil ? nil : "; did you mean '\($0)'?" } ?? ""
        faults.report("expected \(expected), found \(found)\(suggestion)", at: place)
        return nil
    }

    /// Converts the text of a scalar without quotes, or reports what was expected.
    package func readUnquoted<Value>(
        _ expected: String, _ faults: FaultList, hint: (String) -> String? = { _ in nil },
        as convert: (String) -> Value?
    ) -> Value? {
        if case .scalar(let scalar) = content, scalar.isQuoted {
            faults.report("expected \(expected), found the text \(found): leave the quotes out", at: place)
            return nil
        }
        return read(expected, faults, hint: hint, as: convert)
    }

    /// Reports the expected value and the one that was found.
    func mismatch<Value>(expected: String, _ faults: FaultList) -> Value? {
        faults.report("expected \(expected), found \(found)", at: place)
        return nil
    }

    /// Returns the part of a message with the allowed range.
    static func bounds(_ lower: String?, _ upper: String?) -> String {
        switch (lower, upper) {
        case (let lower?, let upper?): " from \(lower) to \(upper)"
        case (let lower?, nil): " of at least \(lower)"
        case (nil, let upper?): " of at most \(upper)"
        case (nil, nil): ""
        }
    }
}

extension [String] {
    /// The words as alternatives in a sentence: `text, json or none`.
    package var alternatives: String {
        guard let last, count > 1 else { return first ?? "nothing" }
        return dropLast().joined(separator: ", ") + " or " + last
    }
}

extension Int {
    /// Creates a number from its canonical form: digits without leading zeros, with `-` if negative.
    init?(decimal text: some StringProtocol) {
        let digits = text.utf8.first == UInt8(ascii: "-") ? text.utf8.dropFirst() : text.utf8[...]
        guard let number = Int(text), digits.first != UInt8(ascii: "+") else { return nil }
        guard digits.first != UInt8(ascii: "0") || text == "0" else { return nil }
        self = number
    }
}

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
        func allowedHint(_ text: String) -> String? {
            hint(text).flatMap { word in convert(word).map { range?.contains($0) ?? true } == true ? word : nil }
        }
        guard let value = read(form, faults, hint: allowedHint, as: convert) else { return nil }
        guard let range, !range.contains(value) else { return value }
        return mismatch(expected: what + Self.bounds(text(range.lowerBound), text(range.upperBound)), faults)
    }
}

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
        let text = "\(number)/\(letter)"
        return Rate(text) == nil ? nil : text
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
