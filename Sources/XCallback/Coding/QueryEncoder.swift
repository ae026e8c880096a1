public import XCallbackURL

/// Encodes values as the items of a query.
///
/// | value | items |
/// |---|---|
/// | text, numbers, Booleans | `title=Hi`, `count=3`, `done=true` |
/// | date, bytes, URL, UUID, decimal number | by ``QueryStyle``; `URL`, `UUID` and `Decimal` as their descriptions |
/// | nil | nothing; `k` if it needs a place, for example among the values of a dictionary |
/// | nested values, dictionaries | `note.title=Hi` |
/// | list, set | `tags=a&tags=b` |
/// | list of values that are not a single text | `notes.0.title=Hi&notes.1.title=Ho` |
/// | nested empty list, value or dictionary | `tags` |
/// | case of an enumeration | its raw value, or `shape.circle.radius=1` with its associated values |
/// | a text or a list on its own | `value=Hi` |
///
/// A full stop or a backslash in a key is escaped with a backslash. ``QueryDecoder`` decodes the items as an equal value.
public struct QueryEncoder: Sendable {
    /// The format of values.
    public var style: QueryStyle

    /// Creates an encoder.
    public init(style: QueryStyle = .standard) {
        self.style = style
    }

    /// Encodes a value.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - name: The name of the item for a single value without a name of its own.
    /// - Returns: The items, in the order in which the value writes them.
    /// - Throws: `EncodingError` with the coding path of the value that cannot be encoded: a number that is not finite,
    ///   a date after year 9999, a URL without a scheme, a name that starts with `x-` or is written twice, an empty
    ///   list that could also mean nil, or a value nested more deeply than ``QueryStyle/depthLimit``. Also the errors
    ///   of the value.
    public func encode<Value: Encodable>(_ value: Value, named name: String = "value") throws -> QueryItems {
        let writer = QueryWriter(style)
        let place = EncodingPlace(writer, topName: name)
        try place.encode(value)
        try writer.check()
        return writer.items
    }
}
