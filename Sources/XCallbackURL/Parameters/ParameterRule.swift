/// What a route demands of the values of one parameter.
///
/// In a list all demands but ``isRequired`` hold for each element: there is none on the number of elements.
package struct ParameterRule: Hashable, Sendable {
    /// The type of the value, or of each element of a list.
    package var type: ParameterType
    /// Whether the parameter has many values (`type: list`).
    package var isList: Bool
    /// Whether a request without the parameter, and a rule without a default, is a fault (`required`).
    package var isRequired = true
    /// The values of an absent parameter (`default`): one text, or any number of them for a list.
    package var defaultTexts: [String]?
    /// The least value (`min`), for `int` and `number`.
    package var minimum: Bound?
    /// The greatest value (`max`), for `int` and `number`.
    package var maximum: Bound?
    /// The least length (`min-length`) in Unicode scalars, or for `data` in decoded bytes; for `string`, `url`, `data`.
    package var minimumLength: Int?
    /// The greatest length (`max-length`), counted like ``minimumLength``.
    package var maximumLength: Int?
    /// The characters that may occur (`charset`), for `string`.
    package var charset: ParameterCharset?
    /// Whether a value that starts with `-` may become an argument of a program (`allow-dash`).
    ///
    /// The rule only carries it; ``fault(in:)`` does not look at it.
    package var allowsLeadingDash = false

    /// Creates a rule that demands the type and that the parameter is there.
    package init(type: ParameterType, isList: Bool = false) {
        self.type = type
        self.isList = isList
    }

    /// Finds out what a value, or one element of a list, fails to be.
    ///
    /// Linear in the text. Allocates nothing for a text that is right, unless it is a `number` with bounds or near
    /// the limit of `Double`.
    ///
    /// - Parameter text: Decoded text in UTF-8.
    /// - Returns: The first demand that failed, as a phrase that follows “must be” and never quotes the value, or
    ///   `nil` if all hold.
    package func fault(in text: Span<UInt8>) -> String? {
        guard type.accepts(text) else { return type.expectation }
        return boundFault(in: text) ?? lengthFault(in: text) ?? charsetFault(in: text)
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
        return "made of \(charset) only"
    }

    private func phrase(forLength length: Int) -> String {
        let unit = type == .data ? "byte" : "character"
        return length == 1 ? "1 \(unit) long" : "\(length) \(unit)s long"
    }
}
