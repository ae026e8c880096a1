public import XCallbackPipeline
public import XCallbackURL

/// The way on which URLs get to applications.
///
/// ``DesktopOpener`` is the one to all applications of the user, a ``Client`` one to the actions of the daemon, a
/// ``Router`` one that stays in the process.
public protocol Opener: Sendable {
    /// Opens a URL and waits for what becomes of it.
    ///
    /// - Parameter url: The URL; it names no callbacks unless its maker did.
    /// - Returns: What the request has ended in.
    /// - Throws: Whatever kept the URL from being opened.
    func open(_ url: ActionURL) async throws -> Response
}

/// A way that is a function.
public struct OpenerFunction: Opener {
    private let body: @concurrent @Sendable (ActionURL) async throws -> Response

    /// Creates a way.
    ///
    /// - Parameter body: Opens a URL and waits for what becomes of it. It runs off the caller's actor, unless it belongs
    ///   to an actor.
    public init(_ body: @concurrent @escaping @Sendable (ActionURL) async throws -> Response) {
        self.body = body
    }

    /// What the function says.
    public func open(_ url: ActionURL) async throws -> Response {
        try await body(url)
    }
}

extension Client: Opener {
    /// The daemon, at its usual socket.
    public static let shared = Client()

    /// Asks the daemon for the answer to a URL.
    public func open(_ url: ActionURL) async throws -> Response {
        try await open(url.received).response
    }
}
