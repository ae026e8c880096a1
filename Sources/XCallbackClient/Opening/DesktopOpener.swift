import Dispatch
import XCallbackPipeline
public import XCallbackURL

/// The way to every application of the user's session: what is not the daemon's own is opened on the desktop, and the
/// application's answer comes back through the daemon.
///
///     struct Bear: App {}
///     let note = try await Bear().run(OpenNote(), with: input)
///
/// It is the ``App/opener-swift.property`` of an application that names none. The desktop has to hand `xcallback:` URLs
/// to the daemon for that: `xcallback register xcallback` sees to it, once.
public struct DesktopOpener: Opener {
    private let client: Client
    private let limit: Duration?
    private let program: String?

    /// Creates the way.
    ///
    /// - Parameters:
    ///   - client: The daemon.
    ///   - limit: How long an application may take to answer; the daemon's limit without it.
    ///   - program: The program that opens URLs. Without it, that of `$XCALLBACK_OPENER`, else `xdg-open`, `gio` or the
    ///     desktop's portal, the first that can.
    public init(through client: Client = .shared, within limit: Duration? = nil, using program: String? = nil) {
        self.client = client
        self.limit = limit
        self.program = program
    }

    /// Has the daemon answer a URL, or opens it and waits for the application's answer.
    ///
    /// - Throws: ``ClientError``; ``CallbackError`` 503 if nothing in the session could open the URL, or an action of the
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
            if let url = answer.open {
                try await onThreadThatMayWait { try tools.open(url, as: "the callback") }
            }
            if case .redirect = answer.response {
                throw CallbackError(.unavailable, "The action opened another application, which does not answer here.")
            }
            return answer.response
        } catch let error as ClientError where error.reason == .noSession {
            // The system's daemon has only its own actions.
            return try await client.open(url)
        } catch let failure as OpeningFailure {
            throw CallbackError(.unavailable, failure.description)
        }
    }
}

/// Calls a function that waits for programs, which must not hold up the threads that all tasks share.
private func onThreadThatMayWait(_ body: @escaping @Sendable () throws -> Void) async throws {
    try await withCheckedThrowingContinuation { continuation in
        DispatchQueue.global().async { continuation.resume(with: Result { try body() }) }
    }
}
