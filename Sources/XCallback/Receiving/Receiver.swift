/// The program itself as an application: what others can run of it.
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
    ///   - onError: Is told of each error that a request ends in.
    /// - Throws: ``RouterError`` if two actions have the same path, or one is no path.
    public convenience init(_ receiver: some Receiver, onError: ErrorFunction? = nil) throws {
        try self.init(scheme: receiver.scheme, style: receiver.style, onError: onError) { router in
            let prefix = receiver.host == "x-callback-url" || receiver.host.isEmpty ? "/" : "/\(receiver.host)"
            router.group(prefix) { group in
                for action in receiver.receivedActions { group.receive(action) }
            }
        }
    }
}
