/// A rule for the text of a capture: the declared type of a path parameter.
package struct CaptureType: Sendable {
    /// What the type is called; equal names mean the same type.
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
