/// A rule for the text of a capture: the declared type of a path parameter.
package struct CaptureType: Sendable {
    /// The name of the type; types with equal bytes in their names are the same.
    package let name: String
    /// Exactly the texts for which ``accepts`` is true: conflicts are determined by it.
    package let language: TextLanguage
    /// All texts of the type, if there are few; otherwise nil.
    package let values: [String]?
    /// Whether the type accepts a text, given as decoded bytes.
    ///
    /// The result must depend only on the text. For a wildcard, the function is called for each piece.
    package let accepts: @Sendable (Span<UInt8>) -> Bool

    /// Creates a type.
    package init(
        name: String, language: TextLanguage, values: [String]? = nil,
        accepts: @escaping @Sendable (Span<UInt8>) -> Bool
    ) {
        self.name = name
        self.language = language
        self.values = values
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
