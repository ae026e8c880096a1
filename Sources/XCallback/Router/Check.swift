import Synchronization
public import XCallbackPipeline
import XCallbackURL

/// A policy: a function that lets a request pass or refuses it, and changes nothing.
///
///     let fromMail = Check { request in
///         request.source == "mail" ? .verified : .failed(CallbackError(.refused, "Only for mail."))
///     }
///     router.route("/messages/:id", policies: [fromMail]) { (key: MessageKey) in try await store.message(key.id) }
///
/// A check whose function waits is asked after those whose functions do not.
public struct Check: Sendable {
    /// What the pipeline asks.
    enum Stage: Sendable {
        case immediate(any Policy)
        case asynchronous(any AsyncPolicy)
    }

    let stage: Stage

    /// Creates a policy that decides at once.
    ///
    /// - Parameter verdict: Decides on a request.
    public init(_ verdict: @escaping @Sendable (Request) -> Verdict) {
        stage = .immediate(PolicyFunction(body: verdict))
    }

    /// Creates a policy that may wait and fail.
    ///
    /// - Parameter verdict: Decides on a request. It runs off the caller's actor, unless it belongs to an actor. An error
    ///   refuses the request: with ``ActionCancelled`` it is cancelled, and what the client sees of others is told by
    ///   ``CallbackErrorConvertible``.
    public init(_ verdict: @concurrent @escaping @Sendable (Request) async throws -> Verdict) {
        stage = .asynchronous(AsyncPolicyFunction(body: verdict))
    }

    /// Creates a policy that remembers something between requests.
    ///
    ///     let atMostThree = Check(remembering: 0) { request, count in
    ///         count += 1
    ///         return count <= 3 ? .verified : .failed(CallbackError(.tooMany, "That is enough."))
    ///     }
    ///
    /// The memory is one for all routes that share the check.
    ///
    /// - Parameters:
    ///   - memory: What it remembers at first.
    ///   - verdict: Decides on a request; no two calls run at a time.
    public init<Memory: Sendable>(
        remembering memory: Memory, _ verdict: @escaping @Sendable (Request, inout Memory) -> Verdict
    ) {
        let memory = SharedMemory(memory)
        self.init { request in memory.withLock { verdict(request, &$0) } }
    }
}

/// What a function remembers between its calls.
final class SharedMemory<Value: Sendable>: Sendable {
    private let value: Mutex<Value>

    init(_ value: Value) {
        self.value = Mutex(value)
    }

    /// Calls a function with the value; no two calls run at a time.
    func withLock<Result: Sendable>(_ body: (inout Value) -> Result) -> Result {
        value.withLock { value in body(&value) }
    }
}

/// A policy that is a function.
private struct PolicyFunction: Policy {
    let body: @Sendable (Request) -> Verdict

    func verify(_ request: Request, _ state: inout PipelineState) -> Verdict {
        body(request)
    }
}

/// An async policy that is a function.
private struct AsyncPolicyFunction: AsyncPolicy {
    let body: @concurrent @Sendable (Request) async throws -> Verdict

    func verify(_ request: Request) async -> Response? {
        do {
            guard case .failed(let error) = try await body(request) else { return nil }
            return .error(error)
        } catch {
            return Response(of: error)
        }
    }
}
