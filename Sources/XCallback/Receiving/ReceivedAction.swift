public import XCallbackPipeline
public import XCallbackURL

/// An action that the program itself performs.
///
///     struct OpenBook: ReceivedAction {
///         struct Input: Codable { var title: String }
///         func receive(input: Input) async throws { await library.open(input.title) }
///     }
///
/// The input and the output are `Codable` or `Void`.
public protocol ReceivedAction: Action where Input: Sendable {
    /// The input; `Void` by default.
    associatedtype Input = Void
    /// The output; `Void` by default.
    associatedtype Output = Void

    /// Whether requests from the desktop, and so possibly from a web page, reach the action; false by default.
    var isPublic: Bool { get }
    /// The policies that can reject a request; none by default.
    var policies: [Policy] { get }
    /// The description of the action, with its name for assistants; nil by default.
    var about: ActionDescription? { get }

    /// Performs the action.
    ///
    /// - Parameter input: The input.
    /// - Returns: The output.
    /// - Throws: ``ActionCancelled``, or any error; ``CallbackErrorConvertible`` determines what the client sees of it.
    func receive(input: Input) async throws -> Output

    /// Decodes the input.
    ///
    /// There are implementations for inputs that are `Decodable` or `Void`; other inputs need their own.
    static func input(of request: Request, _ decoder: QueryDecoder) throws -> Input

    /// Encodes the output.
    ///
    /// There are implementations for outputs that are `Encodable` or `Void`; other outputs need their own.
    static func items(of output: Output, _ encoder: QueryEncoder) throws -> QueryItems
}

extension ReceivedAction {
    /// False.
    public var isPublic: Bool { false }
    /// None.
    public var policies: [Policy] { [] }
    /// None.
    public var about: ActionDescription? { nil }
}

extension ReceivedAction where Input: Decodable {
    /// Decodes the input from the captures of the path and from the query.
    public static func input(of request: Request, _ decoder: QueryDecoder) throws -> Input {
        try decoder.input(of: request)
    }
}

extension ReceivedAction where Input == Void {
    /// Returns nothing.
    public static func input(of request: Request, _ decoder: QueryDecoder) throws -> Input { () }
}

extension ReceivedAction where Output: Encodable {
    /// Encodes the output.
    public static func items(of output: Output, _ encoder: QueryEncoder) throws -> QueryItems {
        try encoder.encode(output, named: outputName)
    }
}

extension ReceivedAction where Output == Void {
    /// Returns no items.
    public static func items(of output: Output, _ encoder: QueryEncoder) throws -> QueryItems { QueryItems() }
}
