/// A captured piece: the index of its capture in the pattern, and the range of its bytes.
///
/// A parameter has one piece, and a wildcard has one for each segment, all with the same index and in order.
package struct Capture: Hashable, Sendable {
    /// The index into the pattern's ``RoutePattern/captures``.
    package let index: Int
    /// The range of the decoded bytes in the matched buffer.
    package let range: Range<Int>

    /// Creates a captured piece.
    package init(index: Int, range: Range<Int>) {
        self.index = index
        self.range = range
    }
}

extension [Capture] {
    /// Removes all captures but keeps the capacity; cheaper than `removeAll`, because there are few.
    mutating func clear() {
        while !isEmpty { removeLast() }
    }

    /// Reverses the captures from an index on, in place: a reversed slice would be a copy.
    mutating func reverse(from start: Int) {
        var (low, high) = (start, count - 1)
        while low < high {
            swapAt(low, high)
            low += 1
            high -= 1
        }
    }
}

/// A rule for the text of a capture: the declared type of a path parameter.
package struct CaptureType: Sendable {
    /// The name of the type; types with equal bytes in their names are the same.
    package let name: String
    /// The ASCII bytes of which all texts of the type consist; nil if a text can have any byte.
    package let alphabet: String?
    /// Texts of the type, the first of which are used in examples of actions.
    ///
    /// Two types overlap if one of them accepts an example of the other one. So there is an example for each other type
    /// that overlaps.
    package let examples: [String]
    /// Whether the examples are all texts of the type.
    package let isEnumeration: Bool
    /// Whether the type accepts a text, given as decoded bytes.
    ///
    /// The result must depend only on the text. For a wildcard, the function is called for each piece.
    package let accepts: @Sendable (Span<UInt8>) -> Bool

    /// Creates a type.
    package init(
        name: String, alphabet: String? = nil, examples: [String], isEnumeration: Bool = false,
        accepts: @escaping @Sendable (Span<UInt8>) -> Bool
    ) {
        self.name = name
        self.alphabet = alphabet
        self.examples = examples
        self.isEnumeration = isEnumeration
        self.accepts = accepts
    }
}

/// The types of captures by name; names are compared byte by byte, like names in URLs.
package struct CaptureTypes: Sendable, ExpressibleByDictionaryLiteral {
    private let entries: [(name: String, type: CaptureType)]

    /// Creates types by name, without repeated names.
    package init(_ entries: [(name: String, type: CaptureType)]) {
        self.entries = entries
    }

    /// Creates types by name, without repeated names.
    package init(dictionaryLiteral entries: (String, CaptureType)...) {
        self.init(entries.map { (name: $0.0, type: $0.1) })
    }

    /// Whether no capture has a type.
    package var isEmpty: Bool { entries.isEmpty }

    /// The type of a capture; nil if it has none.
    package subscript(name: String) -> CaptureType? {
        entries.first { $0.name.utf8.elementsEqual(name.utf8) }?.type
    }
}
