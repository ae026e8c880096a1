public import XCallbackRouter
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

extension Client: Opener {
    /// The daemon at its default socket.
    public static let shared = Client()

    /// Requests the daemon's answer to a URL.
    public func open(_ url: ActionURL) async throws -> Response {
        try await open(url.received).response
    }
}

/// Opens URLs for all applications of the user's session: the desktop opens URLs that are not the daemon's own, and the
/// application's answer comes back through the daemon.
///
///     struct Bear: App {}
///     let output = try await Bear().run(OpenNote(), with: .init(title: "Milk", excludeTrashed: true))
///
/// It is the default ``App/opener-swift.property`` of an application. It requires that the desktop passes `xcallback:`
/// URLs to the daemon: run `xcallback register xcallback` once.
public struct DesktopOpener: Opener {
    private let client: Client
    private let limit: Duration?
    private let program: String?

    /// Creates the opener.
    ///
    /// - Parameters:
    ///   - client: The daemon.
    ///   - limit: The time limit for an application's answer; nil for the daemon's default.
    ///   - program: The program that opens URLs. If nil: that of `$XCALLBACK_OPENER`, or the first of `xdg-open`, `gio`
    ///     and the desktop's portal that can.
    public init(through client: Client = .shared, within limit: Duration? = nil, using program: String? = nil) {
        self.client = client
        self.limit = limit
        self.program = program
    }

    /// The same opener with another time limit.
    package func within(_ limit: Duration) -> DesktopOpener {
        // The limits of the daemon.
        DesktopOpener(through: client, within: min(max(limit, .milliseconds(1)), .seconds(86_400)), using: program)
    }

    /// Gets the daemon's answer to a URL, or opens the URL and waits for the application's answer.
    ///
    /// - Throws: ``ClientError``; ``CallbackError`` 503 if no program in the session could open the URL, or if an
    ///   action of the
    ///   daemon redirects to another application.
    public func open(_ url: ActionURL) async throws -> Response {
        do {
            let tools = DesktopTools(program)
            let answer = try await client.call(url.received, within: limit) { url in
                try await onThreadThatMayWait {
                    try tools.checkReturn()
                    try tools.open(url, as: "the URL")
                }
            }
            if let url = answer.open { try await show(url, as: "the callback") }
            if case .redirect = answer.response {
                throw CallbackError(
                    .unavailable, "The action opened another application, which does not answer here.", by: .connection)
            }
            return answer.response
        } catch let error as ClientError where error.reason == .noSession {
            // The system's daemon has only its own actions.
            return try await client.open(url)
        } catch let failure as OpeningFailure {
            throw CallbackError(.unavailable, failure.description, by: .connection)
        }
    }

    /// Opens a URL without waiting for an answer.
    ///
    /// - Parameters:
    ///   - url: The URL.
    ///   - purpose: The description of the URL, for people.
    /// - Throws: ``CallbackError`` 503 if no program in the session could open it.
    package func show(_ url: String, as purpose: String) async throws {
        do {
            let tools = DesktopTools(program)
            try await onThreadThatMayWait { try tools.open(url, as: purpose) }
        } catch let failure as OpeningFailure {
            throw CallbackError(.unavailable, failure.description, by: .connection)
        }
    }
}
