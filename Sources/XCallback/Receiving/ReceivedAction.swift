public import XCallbackPipeline
public import XCallbackURL

/// An action that the program itself does.
///
///     struct OpenBook: ReceivedAction {
///         struct Input: Codable { var title: String }
///         func receive(input: Input) async throws { await library.open(input.title) }
///     }
///
/// What it takes and gives is `Codable` or `Void`.
public protocol ReceivedAction: Action where Input: Sendable {
    /// What the action takes; `Void` if it does not say.
    associatedtype Input = Void
    /// What the action gives; `Void` if it does not say.
    associatedtype Output = Void

    /// Whether requests from the desktop, so possibly from a web page, reach the action; false if it is not said.
    var isPublic: Bool { get }

    /// Does the action.
    ///
    /// - Parameter input: What it takes.
    /// - Returns: What it gives.
    /// - Throws: ``ActionCancelled``, or any error; what the client sees of it is told by ``CallbackErrorConvertible``.
    func receive(input: Input) async throws -> Output

    /// Reads what the action takes.
    ///
    /// There is one for each input that is `Decodable` or `Void`; others need their own.
    static func input(of request: Request, _ decoder: QueryDecoder) throws -> Input

    /// Writes what the action gives.
    ///
    /// There is one for each output that is `Encodable` or `Void`; others need their own.
    static func items(of output: Output, _ encoder: QueryEncoder) throws -> QueryItems
}

extension ReceivedAction {
    /// False.
    public var isPublic: Bool { false }
}

extension ReceivedAction where Input: Decodable {
    /// The captures of the path and the query, as the decoder reads them.
    public static func input(of request: Request, _ decoder: QueryDecoder) throws -> Input {
        try decoder.input(of: request)
    }
}

extension ReceivedAction where Input == Void {
    /// Nothing.
    public static func input(of request: Request, _ decoder: QueryDecoder) throws -> Input { () }
}

extension ReceivedAction where Output: Encodable {
    /// The output, as the encoder writes it.
    public static func items(of output: Output, _ encoder: QueryEncoder) throws -> QueryItems {
        try encoder.encode(output, named: outputName)
    }
}

extension ReceivedAction where Output == Void {
    /// Nothing.
    public static func items(of output: Output, _ encoder: QueryEncoder) throws -> QueryItems { QueryItems() }
}

extension RouteList {
    /// Answers an action with what it does itself, at its path.
    ///
    /// - Parameters:
    ///   - action: The action.
    ///   - policies: What may refuse a request.
    ///   - about: What it says of itself in ``Router/dropIn(deliveringTo:wait:)``.
    ///   - file: The file of the call, for errors.
    ///   - line: The line of the call, for errors.
    public mutating func receive<A: ReceivedAction>(
        _ action: A, policies: [Check] = [], about: About? = nil, file: StaticString = #fileID, line: Int = #line
    ) {
        let (decoder, encoder) = (QueryDecoder(style: style), QueryEncoder(style: style))
        add(
            "/\(action.path)", action.isPublic, policies, about, file, line,
            taking: A.Input.self as? any (Decodable & SendableMetatype).Type
        ) { request in
            .success(try A.items(of: await action.receive(input: A.input(of: request, decoder)), encoder))
        }
    }
}
