public import XCallbackURL

/// An action of an application: its name, its input and its output.
///
///     struct OpenNote: Action {
///         struct Input: Codable { var title: String, excludeTrashed: Bool }
///         struct Output: Codable { var note: String, modificationDate: Date }
///     }
///
/// An action without input or output uses `Never` or `Void` there; `Never` is the default.
public protocol Action<Input, Output>: Sendable {
    /// The input: an `Encodable` type, `Void` or `Never`.
    associatedtype Input = Never
    /// The output: a `Decodable` type, `Void` or `Never`.
    associatedtype Output = Never

    /// The path in the URL, below the host; by default `open-note` for a type `OpenNote`. `notes/open` has two segments.
    var path: String { get }

    /// Encodes the input.
    ///
    /// There are implementations for inputs that are `Encodable` or `Void`; other inputs need their own.
    static func items(of input: Input, _ encoder: QueryEncoder) throws -> QueryItems

    /// Decodes the output.
    ///
    /// There are implementations for outputs that are `Decodable` or `Void`; other outputs need their own.
    static func output(in items: QueryItems, _ decoder: QueryDecoder) throws -> Output
}

extension Action {
    /// The name of the type, in lowercase with hyphens: `open-note` for `OpenNote`, `grab-url` for `GrabURL`.
    public var path: String { typeName(Self.self) }
}

extension Action where Input: Encodable {
    /// Encodes the input; a single value without a name of its own is an item `value`.
    public static func items(of input: Input, _ encoder: QueryEncoder) throws -> QueryItems {
        try encoder.encode(input)
    }
}

extension Action where Input == Void {
    /// Returns no items.
    public static func items(of input: Input, _ encoder: QueryEncoder) throws -> QueryItems { QueryItems() }
}

extension Action where Output: Decodable {
    /// Decodes the output; a single value without a name of its own is an item `result`.
    public static func output(in items: QueryItems, _ decoder: QueryDecoder) throws -> Output {
        try decoder.decode(Output.self, from: items, named: outputName)
    }
}

extension Action where Output == Void {
    /// Returns nothing.
    public static func output(in items: QueryItems, _ decoder: QueryDecoder) throws -> Output { () }
}

/// Returns the name of a type as an identifier in URLs, without its generic arguments.
func typeName<Value>(_ type: Value.Type) -> String {
    String(String(describing: type).prefix { $0 != "<" }).words(joinedBy: "-")
}
