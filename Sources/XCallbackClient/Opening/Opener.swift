public import XCallbackPipeline
public import XCallbackURL

/// Opens URLs for applications.
///
/// ``DesktopOpener`` reaches all applications of the user, a ``Client`` the actions of the daemon, and a ``Router`` the
/// actions within the process.
public protocol Opener: Sendable {
    /// Opens a URL and waits for the result.
    ///
    /// - Parameter url: The URL; it has no callbacks unless its creator has set them.
    /// - Returns: The outcome of the request.
    /// - Throws: Any error that prevented the URL from being opened.
    func open(_ url: ActionURL) async throws -> Response
}

/// An opener that is a function.
public struct OpenerFunction: Opener {
    private let body: @concurrent @Sendable (ActionURL) async throws -> Response

    /// Creates an opener.
    ///
    /// - Parameter body: Opens a URL and waits for the result. It runs off the caller's actor, unless it belongs to an actor.
    public init(_ body: @concurrent @escaping @Sendable (ActionURL) async throws -> Response) {
        self.body = body
    }

    /// Calls the function.
    public func open(_ url: ActionURL) async throws -> Response {
        try await body(url)
    }
}

extension Client: Opener {
    /// The daemon at its default socket.
    public static let shared = Client()

    /// Requests the daemon's answer to a URL.
    public func open(_ url: ActionURL) async throws -> Response {
        try await open(url.received).response
    }
}
