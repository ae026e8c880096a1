public import XCallbackURL

/// How a walk goes on after a middleware.
public enum Step: Sendable {
    /// The next stage is asked.
    case proceed
    /// The request ends here with a response.
    case answer(Response)
}

/// What a policy says of a request.
public enum Verdict: Hashable, Sendable {
    /// The request may go on.
    case verified
    /// The request ends here with an error.
    case failed(CallbackError)
}

/// What a request meets on its way: middleware, a policy or a handler that does not wait.
package protocol Stage: Sendable {
    /// Whether the stage reads or changes the parameters of requests; true unless it says otherwise.
    ///
    /// Where no stage of a route does, and the route declares no input, they are not gathered and stay empty.
    var usesParameters: Bool { get }
}

extension Stage {
    /// True.
    package var usesParameters: Bool { true }
}

/// A stage that sees a request before its handler and the response after it.
package protocol Middleware: Stage {
    /// Changes the request, or answers it at once.
    ///
    /// - Parameters:
    ///   - request: The request; its parameters and data may be changed.
    ///   - state: What stages remember between requests.
    /// - Returns: Whether the walk goes on.
    func receive(_ request: inout Request, _ state: inout PipelineState) -> Step

    /// Sees the response on its way out; called once for each call of `receive`, in reverse order.
    ///
    /// - Parameters:
    ///   - request: The request as the stages left it.
    ///   - response: The response; it may be changed.
    ///   - state: What stages remember between requests.
    func finish(_ request: Request, _ response: inout Response, _ state: inout PipelineState)
}

extension Middleware {
    /// Leaves the response as it is.
    package func finish(_ request: Request, _ response: inout Response, _ state: inout PipelineState) {}
}

/// A stage that lets a request pass or refuses it, and changes nothing.
package protocol Policy: Stage {
    /// Decides on a request.
    ///
    /// - Parameters:
    ///   - request: The request after all middleware.
    ///   - state: What stages remember between requests.
    /// - Returns: The verdict; it does not depend on other policies.
    func verify(_ request: Request, _ state: inout PipelineState) -> Verdict
}

/// The stage that does what a request asks for.
package protocol Handler: Stage {
    /// What the handler answers, if that is the same for every request: it is not asked then.
    var constantResponse: Response? { get }

    /// Does the action.
    ///
    /// - Parameters:
    ///   - request: The request, with its input decoded.
    ///   - state: What stages remember between requests.
    /// - Returns: The response.
    func handle(_ request: Request, _ state: inout PipelineState) -> Response
}

extension Handler {
    /// It is asked for each request.
    package var constantResponse: Response? { nil }
}

/// An async middleware.
public protocol AsyncMiddleware: Sendable {
    /// Changes the request, or answers it at once.
    ///
    /// - Parameter request: The request; its parameters and data may be changed.
    /// - Returns: Whether the walk goes on.
    func receive(_ request: inout Request) async -> Step

    /// Sees the response on its way out; called once for each call of `receive`, in reverse order.
    ///
    /// - Parameters:
    ///   - request: The request as the stages left it.
    ///   - response: The response; it may be changed.
    func finish(_ request: Request, _ response: inout Response) async
}

extension AsyncMiddleware {
    /// Leaves the response as it is.
    public func finish(_ request: Request, _ response: inout Response) async {}
}

/// An async policy; it is asked once all others have verified and the input is decoded.
package protocol AsyncPolicy: Sendable {
    /// Decides on a request.
    ///
    /// - Parameter request: The request, with its input decoded.
    /// - Returns: ``Response/error(_:)`` or ``Response/cancel`` if the request ends here, nil if it may go on.
    func verify(_ request: Request) async -> Response?

    /// How long it may take on its own, while the time of the request stands still; nil if that goes on.
    var limit: Duration? { get }
}

extension AsyncPolicy {
    /// None.
    package var limit: Duration? { nil }
}

/// An async handler.
public protocol AsyncHandler: Sendable {
    /// Does the action.
    ///
    /// - Parameter request: The request, with its input decoded.
    /// - Returns: The response.
    /// - Throws: Any error; what the client sees of it is told by ``CallbackErrorConvertible``.
    func handle(_ request: Request) async throws -> Response
}

/// A handler that redirects, and knows whether it always leads to the same action.
package protocol FixedRedirect: Sendable {
    /// Whether no value of a request is in the path.
    var hasFixedAction: Bool { get }
}
