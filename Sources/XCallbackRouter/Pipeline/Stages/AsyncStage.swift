package import XCallbackURL

/// An async stage and its input.
package enum AsyncStage: Sendable {
    case receive(any HostedMiddleware, Request)
    case verify(any AsyncPolicy, Request)
    case handle(any HostedHandler, Request)
    case finish(any HostedMiddleware, Request, Response)

    /// The result of a stage.
    package enum Outcome: Sendable {
        case received(Request, MiddlewareResult)
        case verified(Response?)
        case handled(Response)
        /// The handler failed, with an error for the client.
        case refused(CallbackError)
        /// The handler failed, with an error that the client does not see.
        case failed(any Error)
        case finished(Response)
    }

    /// The separate timeout of the stage, which stops the clock of the request; nil if the clock continues.
    package var limit: Duration? {
        switch self {
        case .verify(let policy, _): policy.limit
        case .handle(let handler, _): handler.limit
        case .receive(let middleware, _): middleware.limit
        case .finish: nil
        }
    }

    /// Runs the stage.
    ///
    /// - Parameter host: What the stage may ask.
    /// - Returns: The result; an error that a handler throws is not its response, but the reason why it has none.
    package func run(_ host: any StageHost) async -> Outcome {
        switch self {
        case .receive(let middleware, var request):
            let step = await middleware.receive(&request, host)
            return .received(request, step)
        case .verify(let policy, let request): return .verified(await policy.verify(request, host))
        case .handle(let handler, let request):
            do {
                return .handled(try await handler.handle(request, host))
            } catch {
                guard let visible = error as? any CallbackErrorConvertible else { return .failed(error) }
                return .refused(visible.callbackError)
            }
        case .finish(let middleware, let request, var response):
            await middleware.finish(request, &response, host)
            return .finished(response)
        }
    }
}

extension Execution {
    /// The async stage with its input; nil if none is next: the execution has ended, or a delivery is next.
    package var asyncStage: AsyncStage? {
        guard let elements = request.matchedRoute?.chain.elements else { return nil }
        switch phase {
        case .matching: return nil
        case .running:
            switch elements[position] {
            case .asyncMiddleware(let middleware): return .receive(middleware.value, request)
            case .asyncPolicy(let policy): return .verify(policy.value, request)
            case .asyncHandler(let handler): return .handle(handler.value, request)
            default: return nil
            }
        case .finishing:
            guard position > 0 else { return nil }
            switch elements[position - 1] {
            case .asyncMiddleware(let middleware): return .finish(middleware.value, request, response)
            default: return nil
            }
        }
    }

    /// The handler whose requests are answered by a client, if it is next.
    package var deliveringHandler: (any DeliveringHandler)? {
        mutating get {
            guard case .running = phase, let chain = request.matchedRoute?.chain else { return nil }
            switch chain.elements[position] {
            case .delivery(let handler): return handler.value
            default: return nil
            }
        }
    }
}
