package import XCallbackURL

/// An async stage, with what it is given.
package enum AsyncStage: Sendable {
    case receive(any AsyncMiddleware, Request)
    case look(any PeerPolicy, Request)
    case verify(any AsyncPolicy, Request)
    case handle(any AsyncHandler, Request)
    case finish(any AsyncMiddleware, Request, Response)

    /// What a stage came to.
    package enum Outcome: Sendable {
        case received(Request, Step)
        case looked(Verdict)
        case verified(Response?)
        case handled(Response)
        /// The handler could not do the action.
        case refused(CallbackError)
        /// The handler failed in a way that the client is not told of.
        case failed(any Error)
        case finished(Response)
    }

    /// How long the stage may take on its own, while the time of the request stands still; nil if that goes on.
    package var limit: Duration? {
        if case .verify(let policy, _) = self { policy.limit } else { nil }
    }

    /// Runs the stage.
    ///
    /// - Parameter peers: What looks into the processes of peers; nil if nothing does.
    /// - Returns: What it came to; an error that a handler throws is not its response, but says why it has none.
    package func run(_ peers: (any PeerReader)? = nil) async -> Outcome {
        switch self {
        case .receive(let middleware, var request):
            let step = await middleware.receive(&request)
            return .received(request, step)
        case .look(let policy, let request): return .looked(await policy.verify(request, peers))
        case .verify(let policy, let request): return .verified(await policy.verify(request))
        case .handle(let handler, let request):
            do {
                return .handled(try await handler.handle(request))
            } catch {
                guard let visible = error as? any CallbackErrorConvertible else { return .failed(error) }
                return .refused(visible.callbackError)
            }
        case .finish(let middleware, let request, var response):
            await middleware.finish(request, &response)
            return .finished(response)
        }
    }
}
