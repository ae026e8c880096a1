public import XCallbackURL

/// How an execution continues after a middleware.
public enum MiddlewareResult: Sendable {
    /// The next stage runs.
    case proceed
    /// The request ends here with a response.
    case answer(Response)
}

/// The verdict of a policy on a request.
public enum PolicyResult: Hashable, Sendable {
    /// The request may continue.
    case verified
    /// The request ends here with an error.
    case failed(CallbackError)
}

/// A stage that can describe what it would do.
package protocol Stage: Sendable {
    /// Tells what the stage would do to a request, for `explain`.
    ///
    /// It starts nothing, asks no one, counts nothing, and compares no secret.
    func plan(for request: Request) -> StagePlan
}

extension Stage {
    /// Nothing but its name.
    package func plan(for request: Request) -> StagePlan { StagePlan() }
}

/// A stage that sees a request before its handler, and the response after it.
package protocol Middleware: Stage {
    /// Changes the request, or answers it at once.
    ///
    /// - Parameters:
    ///   - request: The request; its parameters and data may be changed.
    ///   - host: What the stage may ask.
    /// - Returns: Whether the execution continues.
    func receive(_ request: inout Request, _ host: any StageHost) -> MiddlewareResult

    /// Sees the response on its way out; called once for each call of `receive`, in reverse order.
    ///
    /// - Parameters:
    ///   - request: The request as the stages left it.
    ///   - response: The response; it may be changed.
    ///   - host: What the stage may ask.
    func finish(_ request: Request, _ response: inout Response, _ host: any StageHost)
}

extension Middleware {
    /// Leaves the response as it is.
    package func finish(_ request: Request, _ response: inout Response, _ host: any StageHost) {}
}

/// A policy that decides at once: a stage that passes or rejects a request, and changes nothing.
package protocol ImmediatePolicy: Stage {
    /// Decides on a request.
    ///
    /// - Parameters:
    ///   - request: The request after all middleware.
    ///   - host: What the stage may ask.
    /// - Returns: The verdict; it does not depend on other policies.
    func verify(_ request: Request, _ host: any StageHost) -> PolicyResult
}

/// The stage that performs the action.
package protocol Handler: Stage {
    /// Performs the action.
    ///
    /// - Parameters:
    ///   - request: The request, with its input decoded.
    ///   - host: What the stage may ask.
    /// - Returns: The response.
    func handle(_ request: Request, _ host: any StageHost) -> Response
}

/// A middleware that waits.
package protocol HostedMiddleware: Stage {
    /// Changes the request, or answers it at once.
    ///
    /// - Parameters:
    ///   - request: The request; its parameters and data may be changed.
    ///   - host: What the stage may ask.
    /// - Returns: Whether the execution continues.
    func receive(_ request: inout Request, _ host: any StageHost) async -> MiddlewareResult

    /// Sees the response on its way out; called once for each call of `receive`, in reverse order.
    ///
    /// - Parameters:
    ///   - request: The request as the stages left it.
    ///   - response: The response; it may be changed.
    ///   - host: What the stage may ask.
    func finish(_ request: Request, _ response: inout Response, _ host: any StageHost) async

    /// Its separate timeout, which stops the clock of the request; nil if the clock continues.
    var limit: Duration? { get }
}

extension HostedMiddleware {
    /// None.
    package var limit: Duration? { nil }

    /// Leaves the response as it is.
    package func finish(_ request: Request, _ response: inout Response, _ host: any StageHost) async {}
}

/// A handler that waits.
package protocol HostedHandler: Stage {
    /// Performs the action.
    ///
    /// - Parameters:
    ///   - request: The request, with its input decoded.
    ///   - host: What the stage may ask.
    /// - Returns: The response.
    /// - Throws: Any error; ``CallbackErrorConvertible`` decides what the client sees of it.
    func handle(_ request: Request, _ host: any StageHost) async throws -> Response

    /// Its separate timeout, which stops the clock of the request; nil if the clock continues.
    var limit: Duration? { get }
}

extension HostedHandler {
    /// None.
    package var limit: Duration? { nil }
}

/// An async middleware of an application.
public protocol AsyncMiddleware: Sendable {
    /// Changes the request, or answers it at once.
    ///
    /// - Parameter request: The request; its parameters and data may be changed.
    /// - Returns: Whether the execution continues.
    /// - Throws: Any error, which ends the request like an error of a handler.
    func receive(_ request: inout Request) async throws -> MiddlewareResult

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

/// An async policy; it is called after all others have verified and the input is decoded, unless it only inspects the
/// peer's process (``StageFacts/inspectsPeer``).
package protocol AsyncPolicy: Stage {
    /// Decides on a request.
    ///
    /// - Parameters:
    ///   - request: The request, with its input decoded unless the policy only inspects the peer.
    ///   - host: What the stage may ask.
    /// - Returns: ``Response/error(_:)`` or ``Response/cancel`` if the request ends here, nil if it continues.
    func verify(_ request: Request, _ host: any StageHost) async -> Response?

    /// Its separate timeout, which stops the clock of the request; nil if the clock continues.
    var limit: Duration? { get }
}

extension AsyncPolicy {
    /// None.
    package var limit: Duration? { nil }
}

/// An async handler of an application.
public protocol AsyncHandler: Sendable {
    /// Performs the action.
    ///
    /// - Parameter request: The request.
    /// - Returns: The response.
    /// - Throws: Any error; ``CallbackErrorConvertible`` decides what the client sees of it.
    func handle(_ request: Request) async throws -> Response
}
