/// The constraints of a route for the values of a parameter.
///
/// In a list, all constraints except ``isRequired`` apply to each element; the number of elements is not limited.
package struct ParameterRule: Hashable, Sendable {
    /// The type of the value, or of each element of a list.
    package var type: ParameterType
    /// Whether the parameter has several values (`type: list`).
    package var isList: Bool
    /// Whether a missing parameter without a default is an error (`required`).
    package var isRequired = true
    /// The values of a missing parameter (`default`): one text, or any number for a list.
    package var defaultTexts: [String]?
    /// The minimum value (`min`), for `int` and `number`.
    package var minimum: Bound?
    /// The maximum value (`max`), for `int` and `number`.
    package var maximum: Bound?
    /// The minimum length (`min-length`) in Unicode scalars, or for `data` in decoded bytes; for `string`, `url`, `data`.
    package var minimumLength: Int?
    /// The maximum length (`max-length`), counted like ``minimumLength``.
    package var maximumLength: Int?
    /// The allowed characters (`charset`), for `string`.
    package var charset: ParameterCharset?
    /// The schemes (`schemes`) of a `url`, in lower case; nil for any.
    package var schemes: [String]?
    /// Whether a value that starts with `-` can become an argument of a program (`allow-dash`).
    ///
    /// Only stored here; ``fault(in:)`` does not check it.
    package var allowsLeadingDash = false
    /// Whether no history and no log may have the value (`secret`).
    package var isSecret = false

    /// Creates a rule that requires the type and the presence of the parameter.
    package init(type: ParameterType, isList: Bool = false) {
        self.type = type
        self.isList = isList
    }

    /// Returns the violated constraint of a value, or of a list element.
    ///
    /// Linear in the text. Allocates nothing for a valid text, unless it is a `number` with bounds or close to the
    /// limit of `Double`.
    ///
    /// - Parameter text: Decoded text in UTF-8.
    /// - Returns: The first violated constraint, as a phrase that follows “must be” and never contains the value; `nil`
    ///   if the value is valid.
    package func fault(in text: Span<UInt8>) -> String? {
        guard type.accepts(text) else { return type.expectation }
        return boundFault(in: text) ?? lengthFault(in: text) ?? charsetFault(in: text) ?? schemeFault(in: text)
    }

    private func boundFault(in text: Span<UInt8>) -> String? {
        guard minimum != nil || maximum != nil, let value = Bound(text, as: type) else { return nil }
        if let minimum, value < minimum { return "at least \(minimum)" }
        if let maximum, maximum < value { return "at most \(maximum)" }
        return nil
    }

    private func lengthFault(in text: Span<UInt8>) -> String? {
        guard minimumLength != nil || maximumLength != nil else { return nil }
        let length = (type == .data ? TextForms.dataCount(of: text) : nil) ?? TextForms.scalarCount(of: text)
        if let minimumLength, length < minimumLength { return "at least \(phrase(forLength: minimumLength))" }
        if let maximumLength, length > maximumLength { return "at most \(phrase(forLength: maximumLength))" }
        return nil
    }

    private func charsetFault(in text: Span<UInt8>) -> String? {
        guard let charset, !charset.contains(allOf: text) else { return nil }
        return "made of \(charset.phrase) only"
    }

    private func schemeFault(in text: Span<UInt8>) -> String? {
        guard let schemes, !schemes.contains(where: { TextForms.hasScheme($0, text) }) else { return nil }
        return "a URL with the scheme \(schemes.joined(separator: " or "))"
    }

    private func phrase(forLength length: Int) -> String {
        let unit = type == .data ? "byte" : "character"
        return length == 1 ? "1 \(unit) long" : "\(length) \(unit)s long"
    }

    /// Lists contradictions in the rule, so that a load can reject it.
    ///
    /// A default is always checked against the type, and against the other constraints only if these are consistent.
    ///
    /// - Returns: All contradictions, each with its configuration key; empty for a consistent rule.
    package func inconsistencies() -> [ParameterRuleInconsistency] {
        let found =
            boundInconsistencies() + lengthInconsistencies() + charsetInconsistencies() + schemeInconsistencies()
        return found + defaultInconsistencies(isOtherwiseConsistent: found.isEmpty)
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
        return schemes.filter { !isScheme($0) }.map {
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

    /// A limit for numbers; exact if it is an integer of 64 bits.
    package enum Bound: Hashable, Sendable {
        /// An integer.
        case integer(Int64)
        /// Any other finite number, rounded to the nearest `Double`.
        case number(Double)

        /// Creates a bound from its text in a declaration.
        ///
        /// - Parameter text: A text that `int` or `number` accepts; any other returns `nil`.
        package init?(_ text: String) {
            let bytes = text.utf8.span
            guard let bound = Self(bytes, as: .integer) ?? Self(bytes, as: .number) else { return nil }
            self = bound
        }

        /// Reads the value of a parameter for a comparison with a bound; `nil` for types that are not numbers.
        init?(_ text: Span<UInt8>, as type: ParameterType) {
            switch type {
            case .integer:
                guard let value = TextForms.integer(in: text) else { return nil }
                self = .integer(value)
            case .number:
                guard let value = TextForms.number(in: text) else { return nil }
                self = .number(value)
            default:
                return nil
            }
        }

        private var rounded: Double {
            switch self {
            case .integer(let value): Double(value)
            case .number(let value): value
            }
        }
    }
}

extension ParameterRule.Bound: Comparable {
    /// Compares integers exactly, and otherwise as `Double`.
    package static func < (left: Self, right: Self) -> Bool {
        if case .integer(let left) = left, case .integer(let right) = right { return left < right }
        return left.rounded < right.rounded
    }
}

extension ParameterRule.Bound: CustomStringConvertible {
    /// The bound in decimal digits.
    package var description: String {
        switch self {
        case .integer(let value): "\(value)"
        case .number(let value): "\(value)"
        }
    }
}

/// A contradiction in the declaration of a parameter, such as a minimum above the maximum.
package struct ParameterRuleInconsistency: Hashable, Sendable {
    /// The configuration key with the fault, such as `min-length`.
    package let key: String
    /// The fault, for a person, in lowercase and without a full stop.
    package let message: String
}
