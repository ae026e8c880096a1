public import XCallbackURL

/// Reads values from the items of a query, as ``QueryEncoder`` writes them.
///
/// Items that the value does not ask for are passed over. More is read than is written: `done` alone is true for a
/// Boolean, `yes` and `1` are too; a list may be `tags=a,b`, in which an encoded comma is data, or `tags.0=a&tags.1=b`.
public struct QueryDecoder: Sendable {
    /// How values are written.
    public var style: QueryStyle
    /// Whether commas that were not encoded part the elements of a list, as in `tags=a,b`.
    ///
    /// They do in a URL. In items that come in another way, as those of a response, nothing is encoded.
    public var splitsAtCommas: Bool

    /// Creates a decoder.
    public init(style: QueryStyle = .standard, splitsAtCommas: Bool = true) {
        self.style = style
        self.splitsAtCommas = splitsAtCommas
    }

    /// Reads a value.
    ///
    /// - Parameters:
    ///   - type: The type of the value.
    ///   - items: The items, in any order.
    ///   - name: The name of the item for a value that is not made of named ones.
    /// - Returns: The value.
    /// - Throws: `DecodingError` with the coding path of what is missing or is not what it has to be, whose underlying
    ///   error is what a client may see of it, a ``CallbackError`` with code 422; and what the value throws.
    public func decode<Value: Decodable>(
        _ type: Value.Type, from items: QueryItems, named name: String = "value"
    ) throws -> Value {
        try DecodingPlace(QueryTree(items, splitsAtCommas: splitsAtCommas), style, topName: name).decode(type)
    }
}
