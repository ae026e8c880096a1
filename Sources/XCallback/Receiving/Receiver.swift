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
    /// Creates a router with the actions of an application.
    ///
    /// - Parameters:
    ///   - receiver: The application.
    ///   - onError: Receives each error in which a request ends.
    /// - Throws: ``RouterError`` if two actions have the same path, or if a path is invalid.
    public convenience init(_ receiver: some Receiver, onError: ErrorFunction? = nil) throws {
        try self.init(scheme: receiver.scheme, style: receiver.style, onError: onError) { router in
            let prefix = receiver.host == "x-callback-url" || receiver.host.isEmpty ? "/" : "/\(receiver.host)"
            router.group(prefix) { group in
                for action in receiver.receivedActions { group.receive(action) }
            }
        }
    }
}
