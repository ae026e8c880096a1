/// A set of characters that a text may contain.
///
/// The written form resembles the inside of a bracket expression: `a-zA-Z0-9_-`. Characters are Unicode scalars,
/// compared without normalization. A `-` at the start or end is literal, and so is any character after `\` except a
/// letter or digit. Forms with a special meaning in real bracket expressions, a leading `^` and classes such as
/// `[:alpha:]`, are rejected.
package struct ParameterCharset: Hashable, Sendable {
    /// The written form.
    package let text: String
    /// A bit for each ASCII character: the common case is a single test.
    private var ascii: UInt128 = 0
    private var ranges: [ClosedRange<Unicode.Scalar>] = []

    /// Creates a set from its written form.
    ///
    /// - Parameter text: Characters and ranges such as `a-z`.
    /// - Throws: ``ParameterCharsetError`` for the first fault.
    package init(_ text: String) throws(ParameterCharsetError) {
        self.text = text
        for range in try Self.ranges(in: text) { insert(range) }
    }

    /// Whether a character is in the set.
    package func contains(_ scalar: Unicode.Scalar) -> Bool {
        scalar.isASCII ? ascii & 1 << UInt128(scalar.value) != 0 : ranges.contains { $0.contains(scalar) }
    }

    /// Whether all characters of a text are in the set; true for the empty text.
    ///
    /// - Parameter text: Text in UTF-8.
    /// - Returns: Whether the text is valid and contains only characters of the set.
    package func contains(allOf text: Span<UInt8>) -> Bool {
        for index in text.indices {
            guard text[index] < 0x80 else { return containsScalars(of: text) }
            guard contains(Unicode.Scalar(text[index])) else { return false }
        }
        return true
    }

    private func containsScalars(of text: Span<UInt8>) -> Bool {
        guard let scalars = try? UTF8Span(validating: text) else { return false }
        var iterator = scalars.makeUnicodeScalarIterator()
        while let scalar = iterator.next() {
            guard contains(scalar) else { return false }
        }
        return true
    }

    private mutating func insert(_ range: ClosedRange<Unicode.Scalar>) {
        ranges.append(range)
        for value in 0..<UInt32(128) where range.lowerBound.value...range.upperBound.value ~= value {
            ascii |= 1 << UInt128(value)
        }
    }
}

extension ParameterCharset: CustomStringConvertible {
    /// The written form.
    package var description: String { text }
}

extension ParameterCharset {
    /// The set in words, such as `letters, digits and '_'`.
    package var words: String {
        var rest = ranges
        var words: [String] = []
        func take(_ classes: [ClosedRange<Unicode.Scalar>], _ name: String) {
            guard classes.allSatisfy(rest.contains) else { return }
            rest.removeAll(where: classes.contains)
            words.append(name)
        }
        take(["a"..."z", "A"..."Z"], "letters")
        take(["a"..."z"], "lower-case letters")
        take(["A"..."Z"], "upper-case letters")
        take(["0"..."9"], "digits")
        take([" "..." "], "spaces")
        words += rest.map { range in
            range.lowerBound == range.upperBound
                ? "'\(range.lowerBound)'" : "'\(range.lowerBound)' to '\(range.upperBound)'"
        }
        guard words.count > 1, let last = words.last else { return words.first ?? "" }
        return words.dropLast().joined(separator: ", ") + " and \(last)"
    }
}
