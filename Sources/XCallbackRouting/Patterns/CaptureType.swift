/// A rule for the text of a capture: the declared type of a path parameter.
package struct CaptureType: Sendable {
    /// What the type is called; equal names mean the same type.
    package let name: String
    /// Whether a capture can have this text, given as the decoded bytes.
    ///
    /// It must always say the same of the same text. For a wildcard it is asked about each piece.
    package let accepts: @Sendable (Span<UInt8>) -> Bool
    /// Texts that are accepted, at least one; overlaps with other types are found by them.
    package let samples: [String]
    /// Whether the samples are all texts that are accepted.
    package let isFinite: Bool

    /// Creates a type.
    package init(
        name: String, samples: [String], isFinite: Bool = false, accepts: @escaping @Sendable (Span<UInt8>) -> Bool
    ) {
        self.name = name
        self.samples = samples
        self.isFinite = isFinite
        self.accepts = accepts
    }
}
