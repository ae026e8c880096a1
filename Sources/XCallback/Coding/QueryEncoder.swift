public import XCallbackURL

/// Writes values as the items of a query.
///
/// | value | items |
/// |---|---|
/// | text, numbers, Booleans | `title=Hi`, `count=3`, `done=true` |
/// | date, bytes, URL, UUID, decimal number | as ``QueryStyle`` says; `URL`, `UUID` and `Decimal` as they describe themselves |
/// | nil | nothing; `k` where it has to have a place, as among the values of a dictionary |
/// | values in a value, dictionaries | `note.title=Hi` |
/// | list, set | `tags=a&tags=b` |
/// | list of values that are not one text | `notes.0.title=Hi&notes.1.title=Ho` |
/// | empty list, value or dictionary in a value | `tags` |
/// | case of an enumeration | its raw value, or `shape.circle.radius=1` with what it holds |
/// | one text or one list by itself | `value=Hi` |
///
/// A full stop or a backslash in a key has a backslash before it. ``QueryDecoder`` reads what was written back as an
/// equal value.
public struct QueryEncoder: Sendable {
    /// How values are written.
    public var style: QueryStyle

    /// Creates an encoder.
    public init(style: QueryStyle = .standard) {
        self.style = style
    }

    /// Writes a value.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - name: The name of the item for a value that is not made of named ones.
    /// - Returns: The items, in the order in which the value gives them.
    /// - Throws: `EncodingError` with the coding path of what cannot be written: a number that is not finite, a date
    ///   beyond year 9999, a URL without scheme, a name that begins with `x-` or is written twice, an empty list that
    ///   could as well be nil, or what lies deeper than ``QueryStyle/depthLimit``; and what the value throws.
    public func encode<Value: Encodable>(_ value: Value, named name: String = "value") throws -> QueryItems {
        let writer = QueryWriter(style)
        let place = EncodingPlace(writer, topName: name)
        try place.encode(value)
        try writer.check()
        return writer.items
    }
}
