extension Node {
    /// Reads a text; `5` and `true` are texts too, nothing is not.
    package func string(_ faults: FaultList) -> String? {
        if case .mapping(let members) = content, members.count == 1, let member = members.first, member.value.isNull {
            let key = member.key.visible
            // A mapping in braces begins before its first key: `{name}`.
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
            let text = document.values.text(of: index)
            if text.utf8.count == 4 {
                faults.report("expected text, found nothing: put '\(text)' in quotes if you mean text", at: place)
                return nil
            }
        }
        return scalarText(expected: "text", faults)
    }

    /// Reads `true` or `false`, also as YAML spells them besides: `True`, `TRUE`; in quotes they are texts.
    package func bool(_ faults: FaultList) -> Bool? {
        readUnquoted("true or false", faults, hint: Self.boolHint) { text in
            switch text {
            case "true", "True", "TRUE": true
            case "false", "False", "FALSE": false
            default: nil
            }
        }
    }

    /// Reads a whole number in decimal digits; in quotes it is a text.
    package func integer(in range: ClosedRange<Int> = .min ... .max, _ faults: FaultList) -> Int? {
        let lower = range.lowerBound == .min ? nil : "\(range.lowerBound)"
        let upper = range.upperBound == .max ? nil : "\(range.upperBound)"
        return readUnquoted("a whole number" + Self.bounds(lower, upper), faults, hint: Self.integerHint) { text in
            Int(decimal: text).flatMap { range.contains($0) ? $0 : nil }
        }
    }

    /// Reads one of some words.
    package func choice(of words: [String], _ faults: FaultList) -> String? {
        guard case .scalar(let scalar) = content, !scalar.isNull else {
            return mismatch(expected: words.alternatives, faults)
        }
        if words.contains(scalar.text) { return scalar.text }
        let suggestion = scalar.text.suggestion(among: words, areKeys: true)
        faults.report("expected \(words.alternatives), found \(found)\(suggestion)", at: place)
        return nil
    }

    /// Reads one of the cases of an enumeration by its raw value.
    package func choice<Choice: CaseIterable & RawRepresentable<String>>(
        of type: Choice.Type,
        _ faults: FaultList
    ) -> Choice? {
        choice(of: type.allCases.map(\.rawValue), faults).flatMap { Choice(rawValue: $0) }
    }

    /// The text of a single value that is not nothing; anything else is reported.
    func scalarText(expected: String, _ faults: FaultList) -> String? {
        document.values.values[index].isSingle && !isNull
            ? document.values.text(of: index) : mismatch(expected: expected, faults)
    }

    /// Turns the text of a single value into another one, or reports what was expected.
    ///
    /// - Parameters:
    ///   - expected: What was expected.
    ///   - faults: Where faults are reported.
    ///   - hint: What was likely meant by a text that cannot be turned; it is told if that can be.
    ///   - convert: Turns a text.
    /// - Returns: The value, or nil after a fault.
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

    /// Turns the text of a single value without quotes into another one, or reports what was expected.
    package func readUnquoted<Value>(
        _ expected: String, _ faults: FaultList, hint: (String) -> String? = { _ in nil },
        as convert: (String) -> Value?
    ) -> Value? {
        if document.values.values[index].kind == .quoted {
            faults.report("expected \(expected), found the text \(found): leave the quotes out", at: place)
            return nil
        }
        return read(expected, faults, hint: hint, as: convert)
    }

    /// Reports what was expected here and what was found.
    func mismatch<Value>(expected: String, _ faults: FaultList) -> Value? {
        faults.report("expected \(expected), found \(found)", at: place)
        return nil
    }

    /// The part of a message that says what range a value must be in.
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
    /// The words as a sentence offers them: `text, json or none`.
    package var alternatives: String {
        guard let last, count > 1 else { return first ?? "nothing" }
        return dropLast().joined(separator: ", ") + " or " + last
    }
}

extension Int {
    /// Creates a number from its one written form: digits without leading zeros, with `-` if it is negative.
    init?(decimal text: some StringProtocol) {
        let digits = text.utf8.first == UInt8(ascii: "-") ? text.utf8.dropFirst() : text.utf8[...]
        guard let number = Int(text), digits.first != UInt8(ascii: "+") else { return nil }
        guard digits.first != UInt8(ascii: "0") || text == "0" else { return nil }
        self = number
    }
}
