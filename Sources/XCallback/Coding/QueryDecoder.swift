public import XCallbackURL

/// Decodes values from the items of a query, in the format of ``QueryEncoder``.
///
/// Items that the value does not request are ignored. The decoder accepts more formats than the encoder writes: for a
/// Boolean, `done` alone, `yes` and `1` are true; a list may be `tags=a,b`, in which an encoded comma is data, or
/// `tags.0=a&tags.1=b`.
public struct QueryDecoder: Sendable {
    /// The format of values.
    public var style: QueryStyle
    /// Whether raw commas separate the elements of a list, as in `tags=a,b`.
    ///
    /// They do in a URL. Items from other sources, such as those of a response, are not percent-encoded.
    public var splitsAtCommas: Bool

    /// Creates a decoder.
    public init(style: QueryStyle = .standard, splitsAtCommas: Bool = true) {
        self.style = style
        self.splitsAtCommas = splitsAtCommas
    }

    /// Decodes a value.
    ///
    /// - Parameters:
    ///   - type: The type of the value.
    ///   - items: The items, in any order.
    ///   - name: The name of the item for a single value without a name of its own.
    /// - Returns: The value.
    /// - Throws: `DecodingError` with the coding path of the missing or invalid value; its underlying error is a
    ///   ``CallbackError`` with code 422, which a client may see. Also the errors of the value.
    public func decode<Value: Decodable>(
        _ type: Value.Type, from items: QueryItems, named name: String = "value"
    ) throws -> Value {
        try DecodingPlace(QueryTree(items, splitsAtCommas: splitsAtCommas), style, topName: name).decode(type)
    }
}
