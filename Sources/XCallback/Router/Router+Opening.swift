public import XCallbackClient
public import XCallbackPipeline
public import XCallbackURL

extension Router: Opener {
    /// Answers a URL within the process; private routes are reachable too.
    public func open(_ url: ActionURL) async throws -> Response {
        await answer(Array(url.received.utf8), from: .thisProcess, .internal).response
    }
}
