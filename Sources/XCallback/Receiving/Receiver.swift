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
    ///         router.answer(Notebook.AddNote()) { input in try await notebook.add(input) }
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
        onError: ErrorFunction? = nil, file: StaticString = #fileID, line: Int = #line,
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
    /// The parameters are those of ``init(_:ignoresHosts:callbacks:parameterLimit:onError:file:line:_:)``.
    ///
    /// - Throws: ``RouterError`` with all faults.
    public convenience init(
        _ receiver: some Receiver, ignoresHosts: Bool = false, callbacks: [String]? = nil, parameterLimit: Int = 256,
        onError: ErrorFunction? = nil, file: StaticString = #fileID, line: Int = #line
    ) throws {
        try self.init(
            receiver, ignoresHosts: ignoresHosts, callbacks: callbacks, parameterLimit: parameterLimit,
            onError: onError, file: file, line: line
        ) { _ in }
    }
}
