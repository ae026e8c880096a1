extension ParameterRule {
    /// Lists contradictions in the rule, so that a load can reject it.
    ///
    /// A default is always checked against the type, and against the other constraints only if these are consistent.
    ///
    /// - Returns: All contradictions, each with its configuration key; empty for a consistent rule.
    package func inconsistencies() -> [ParameterRuleInconsistency] {
        let found =
            valueInconsistencies() + boundInconsistencies() + lengthInconsistencies() + charsetInconsistencies()
            + schemeInconsistencies()
        return found + defaultInconsistencies(isOtherwiseConsistent: found.isEmpty)
    }

    private func valueInconsistencies() -> [ParameterRuleInconsistency] {
        guard case .enumeration(let values) = type else { return [] }
        if values.isEmpty { return [.init(key: "values", message: "an enum needs at least one value")] }
        var found: [ParameterRuleInconsistency] = []
        // By bytes: canonically equivalent texts are different.
        var known: Set<[UInt8]> = []
        for value in values {
            if value.isEmpty {
                found.append(.init(key: "values", message: "a value of an enum must not be empty"))
            } else if !known.insert(Array(value.utf8)).inserted {
                found.append(.init(key: "values", message: "'\(value)' is repeated"))
            }
        }
        return found
    }

    private func boundInconsistencies() -> [ParameterRuleInconsistency] {
        var found: [ParameterRuleInconsistency] = []
        for (key, bound) in [("min", minimum), ("max", maximum)] {
            guard let bound else { continue }
            switch (type, bound) {
            case (.integer, .number(let value)) where value.magnitude >= 0x1p63:
                found.append(.init(key: key, message: "\(key) of an int is beyond 64 bits"))
            case (.integer, .number):
                found.append(.init(key: key, message: "\(key) of an int must be a whole number"))
            case (.integer, _), (.number, _): break
            default: found.append(.init(key: key, message: "\(key) is for int and number only"))
            }
        }
        if found.isEmpty, let minimum, let maximum, maximum < minimum {
            found.append(.init(key: "min", message: "min \(minimum) is greater than max \(maximum)"))
        }
        return found
    }

    private func lengthInconsistencies() -> [ParameterRuleInconsistency] {
        var found: [ParameterRuleInconsistency] = []
        for (key, length) in [("min-length", minimumLength), ("max-length", maximumLength)] {
            guard let length else { continue }
            if ![.string, .url, .data].contains(type) {
                found.append(.init(key: key, message: "\(key) is for string, url and data only"))
            } else if length < 0 {
                found.append(.init(key: key, message: "\(key) must not be negative"))
            }
        }
        if found.isEmpty, let minimumLength, let maximumLength, maximumLength < minimumLength {
            let message = "min-length \(minimumLength) is greater than max-length \(maximumLength)"
            found.append(.init(key: "min-length", message: message))
        }
        return found
    }

    private func charsetInconsistencies() -> [ParameterRuleInconsistency] {
        charset == nil || type == .string ? [] : [.init(key: "charset", message: "charset is for string only")]
    }

    private func schemeInconsistencies() -> [ParameterRuleInconsistency] {
        guard let schemes else { return [] }
        if type != .url { return [.init(key: "schemes", message: "schemes is for url only")] }
        if schemes.isEmpty { return [.init(key: "schemes", message: "schemes needs at least one scheme")] }
        return schemes.filter { !TextForms.isURL("\($0):a".utf8.span) || $0.utf8.contains(UInt8(ascii: ":")) }.map {
            .init(key: "schemes", message: "'\($0)' is not a scheme: write its name, such as https")
        }
    }

    private func defaultInconsistencies(isOtherwiseConsistent: Bool) -> [ParameterRuleInconsistency] {
        guard let defaultTexts else { return [] }
        if !isList, defaultTexts.count != 1 {
            return [.init(key: "default", message: "the default must be one value")]
        }
        let demands = isOtherwiseConsistent ? self : ParameterRule(type: type)
        return defaultTexts.compactMap { text in
            demands.fault(in: text.utf8.span).map { .init(key: "default", message: "the default must be \($0)") }
        }
    }
}
