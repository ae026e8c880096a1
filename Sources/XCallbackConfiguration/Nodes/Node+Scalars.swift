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
