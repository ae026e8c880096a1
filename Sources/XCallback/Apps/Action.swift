public import XCallbackURL

/// An action of an application: what it is called, what it takes and what it gives.
///
///     struct OpenNote: Action {
///         struct Input: Codable { var title: String, excludeTrashed: Bool }
///         struct Output: Codable { var note: String, modificationDate: Date }
///     }
///
/// An action that takes nothing or gives nothing has `Never` or `Void` there; `Never` is what it has if it says nothing.
public protocol Action<Input, Output>: Sendable {
    /// What the action takes: an `Encodable` type, `Void` or `Never`.
    associatedtype Input = Never
    /// What the action gives: a `Decodable` type, `Void` or `Never`.
    associatedtype Output = Never

    /// The action in the URL, below the host: `open-note` for a type `OpenNote` if it is not said; `notes/open` has two
    /// segments.
    var path: String { get }

    /// Writes what the action takes.
    ///
    /// There is one for each input that is `Encodable` or `Void`; others need their own.
    static func items(of input: Input, _ encoder: QueryEncoder) throws -> QueryItems

    /// Reads what the action has given.
    ///
    /// There is one for each output that is `Decodable` or `Void`; others need their own.
    static func output(in items: QueryItems, _ decoder: QueryDecoder) throws -> Output
}

extension Action {
    /// The name of the type, in lower case with hyphens: `open-note` for `OpenNote`, `grab-url` for `GrabURL`.
    public var path: String { typeName(Self.self) }
}

extension Action where Input: Encodable {
    /// The input, as the encoder writes it; one that is not made of named values is an item `value`.
    public static func items(of input: Input, _ encoder: QueryEncoder) throws -> QueryItems {
        try encoder.encode(input)
    }
}

extension Action where Input == Void {
    /// Nothing.
    public static func items(of input: Input, _ encoder: QueryEncoder) throws -> QueryItems { QueryItems() }
}

extension Action where Output: Decodable {
    /// The output, as the decoder reads it; one that is not made of named values is an item `result`.
    public static func output(in items: QueryItems, _ decoder: QueryDecoder) throws -> Output {
        try decoder.decode(Output.self, from: items, named: outputName)
    }
}

extension Action where Output == Void {
    /// Nothing.
    public static func output(in items: QueryItems, _ decoder: QueryDecoder) throws -> Output { () }
}

/// The name of a type as an identifier in URLs, without what it is generic over.
func typeName<Value>(_ type: Value.Type) -> String {
    String(String(describing: type).prefix { $0 != "<" }).words(joinedBy: "-")
}
