/// A rule for the text of a capture: the declared type of a path parameter.
package struct CaptureType: Sendable {
    /// What the type is called; names of the same bytes mean the same type.
    package let name: String
    /// Exactly the texts for which ``accepts`` is true: conflicts are decided by it.
    package let language: TextLanguage
    /// All texts of the type, if they are few; nil if not.
    package let values: [String]?
    /// Whether a capture can have this text, given as the decoded bytes.
    ///
    /// It must always say the same of the same text. For a wildcard it is asked about each piece.
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

/// The types of captures by their names, which are compared byte by byte, as names in URLs are.
package struct CaptureTypes: Sendable, ExpressibleByDictionaryLiteral {
    private let entries: [(name: String, type: CaptureType)]

    /// Creates the types of names, none of which repeats.
    package init(_ entries: [(name: String, type: CaptureType)]) {
        self.entries = entries
    }

    /// Creates the types of names, none of which repeats.
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
