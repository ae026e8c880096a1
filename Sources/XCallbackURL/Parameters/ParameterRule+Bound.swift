extension ParameterRule {
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
