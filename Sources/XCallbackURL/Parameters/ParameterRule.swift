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
}
