public import XCallbackRouter
public import XCallbackURL

/// The program itself as an application: the actions that others can run.
///
///     struct MyApp: Receiver {
///         var receivedActions: [any ReceivedAction] { [OpenBook(), CloseBook()] }
///     }
///     let router = try Router(MyApp())
public protocol Receiver: App {
    /// The actions.
    var receivedActions: [any ReceivedAction] { get }
}

extension Router {
    /// Creates a router for an application: its scheme, its host and the format of its values are those of the application.
    ///
    ///     let router = try Router(Notebook()) { router in
    ///         router.answer(Notebook.AddNote()) { note in try await notebook.add(note) }
    ///         router.answer(Notebook.Empty(), isPublic: true) { await notebook.emptyTrash() }
    ///     }
    ///
    /// If it is a ``Receiver``, the router answers its actions.
    ///
    /// - Parameters:
    ///   - application: The application.
    ///   - ignoresHosts: Whether hosts other than `x-callback-url` are ignored.
    ///   - callbacks: The allowed targets of answers and redirects, in addition to the router's own schemes; see
    ///     ``init(scheme:syntax:ignoresHosts:callbacks:style:parameterLimit:onError:_:)``.
    ///   - parameterLimit: The maximum number of query items of a request.
    ///   - onError: Receives each error in which a request ends.
    ///   - file: The file of the call, for error messages.
    ///   - line: The line of the call, for error messages.
    ///   - routes: Adds more routes, and the middleware and policies before all of them.
    /// - Throws: ``RouterError`` with all faults; and the errors of `routes`.
    public convenience init(
        _ application: some App, ignoresHosts: Bool = false, callbacks: [String]? = nil, parameterLimit: Int = 256,
        onError: (@Sendable (any Error, Request) -> Void)? = nil, file: StaticString = #fileID, line: Int = #line,
        _ routes: (inout RouteList) throws -> Void
    ) throws {
        let (scheme, host) = (application.scheme, application.host)
        try self.init(
            scheme: scheme, ignoresHosts: ignoresHosts, callbacks: callbacks, style: application.style,
            parameterLimit: parameterLimit, onError: onError
        ) { router in
            try router.below(host == "x-callback-url" || host.isEmpty ? "/" : "/\(host)") { list in
                for action in (application as? any Receiver)?.receivedActions ?? [] {
                    list.answer(action, file: file, line: line)
                }
                try routes(&list)
            }
        }
    }

    /// Creates a router that answers only the received actions of an application.
    ///
    /// - Throws: ``RouterError`` with all faults.
    public convenience init(
        _ receiver: some Receiver, ignoresHosts: Bool = false, callbacks: [String]? = nil,
        onError: (@Sendable (any Error, Request) -> Void)? = nil, file: StaticString = #fileID, line: Int = #line
    ) throws {
        // If the other initializer had a default for its last closure, a trailing closure would be 'onError'.
        try self.init(
            receiver, ignoresHosts: ignoresHosts, callbacks: callbacks, onError: onError, file: file, line: line
        ) { _ in }
    }
}

/// An action that the program itself performs.
///
///     struct OpenBook: ReceivedAction {
///         struct Input: Codable { var title: String }
///         func receive(input: Input) async throws { await library.open(input.title) }
///     }
///
/// The input and the output are `Codable` or `Void`.
public protocol ReceivedAction: Action, _ReceivedActionProperties where Input: Sendable {
    // Declared again, so that the compiler infers them from 'receive'.
    /// The input; `Void` by default.
    associatedtype Input = Void
    /// The output; `Void` by default.
    associatedtype Output = Void

    /// Whether requests from the desktop, and so possibly from a web page, reach the action; false by default.
    var isPublic: Bool { get }
    /// The policies that can reject a request, as a `[Policy]`; none by default.
    var policies: _Policies { get }

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
}

extension ReceivedAction where _Policies == [Policy] {
    /// None.
    public var policies: [Policy] { [] }
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
