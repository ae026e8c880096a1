public import XCallbackClient
public import XCallbackPipeline
public import XCallbackURL

extension Router: Opener {
    /// Answers a URL within the process; private routes are reachable too.
    public func open(_ url: ActionURL) async throws -> Response {
        await answer(Array(url.received.utf8), from: .thisProcess, .internal).response
    }
}

extension Router.Answer {
    /// Opens the callback for this outcome in the user's session; does nothing if the request has none.
    ///
    ///     let answer = await router.handle(url, from: .desktop)
    ///     try await answer.open()
    ///
    /// - Parameter program: The program that opens it. If nil: that of `$XCALLBACK_OPENER`, or the first of `xdg-open`,
    ///   `gio` and the desktop's portal that can.
    /// - Throws: ``CallbackError`` 503 if no program in the session could open it; `CancellationError`.
    public func open(using program: String? = nil) async throws {
        // The router's own answer has no receiver.
        if url.hasPrefix("\(CallbackRules.answerScheme):") { return }
        try await DesktopOpener(using: program).show(url, as: "the callback")
    }
}
