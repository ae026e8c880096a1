public import XCallbackRouter
import XCallbackURL

/// A policy: a function that allows or rejects a request and changes nothing.
///
///     let fromMail = Policy { request in
///         request.source == "mail" ? .verified : .failed(CallbackError(.forbidden, "Only for mail."))
///     }
///     router.route("/messages/:id", policies: [fromMail]) { (key: MessageKey) in try await store.message(key.id) }
///
/// A policy with an async function runs after those with synchronous functions. What a policy remembers between requests is its
/// own, for example in a `Mutex`.
public struct Policy: Sendable {
    /// The policy in the pipeline.
    let stage: Route.PolicyStage

    /// Creates a policy that decides at once.
    ///
    /// - Parameter verdict: Decides on a request.
    public init(_ verdict: @escaping @Sendable (Request) -> PolicyResult) {
        stage = .immediate(PolicyFunction(body: verdict))
    }

    /// Creates a policy that may wait and fail.
    ///
    /// - Parameter verdict: Decides on a request. It runs off the caller's actor, unless it belongs to an actor. An
    ///   error rejects the request: ``ActionCancelled`` cancels it, and for other errors ``CallbackErrorConvertible``
    ///   determines what the client sees.
    public init(_ verdict: @concurrent @escaping @Sendable (Request) async throws -> PolicyResult) {
        stage = .asynchronous(AsyncPolicyFunction(body: verdict))
    }
}

/// A policy that is a function.
private struct PolicyFunction: ImmediatePolicy {
    let body: @Sendable (Request) -> PolicyResult

    func verify(_ request: Request, _ host: any StageHost) -> PolicyResult {
        body(request)
    }
}

/// An async policy that is a function.
private struct AsyncPolicyFunction: AsyncPolicy {
    let body: @concurrent @Sendable (Request) async throws -> PolicyResult

    func verify(_ request: Request, _ host: any StageHost) async -> Response? {
        do {
            guard case .failed(let error) = try await body(request) else { return nil }
            return .error(error)
        } catch {
            return Response(of: error)
        }
    }
}
