import Synchronization
import XCallbackPipeline

extension Client {
    /// Answers the requests that are delivered to a name, one after the other, until the task is cancelled.
    ///
    /// A request is cancelled when its caller has left, its limit has expired, or the daemon has gone away. The daemon
    /// hands over the next one when it is responded to, or at its limit.
    ///
    /// - Parameters:
    ///   - name: The name.
    ///   - isExclusive: Whether a request waits for the end of the one before, even if that was cancelled.
    ///   - rejected: Is given the error if a response comes too late or the daemon has gone; it may throw.
    ///   - body: Makes the response, or nil if there is none.
    /// - Throws: ``ClientError`` if the name cannot be received, what the functions throw, or `CancellationError`.
    package func serve(
        as name: String, isExclusive: Bool, rejected: @escaping @Sendable (ClientError) throws -> Void,
        _ body: @escaping @Sendable (ReceivedRequest) async throws -> Response?
    ) async throws {
        let deliveries = try await deliveries(receivedAs: name)
        try await withThrowingDiscardingTaskGroup { group in
            var current: RequestInProgress?
            for try await delivery in deliveries {
                switch delivery {
                case .ended(let id): if current?.id == id { current?.end() }
                case .away: current?.end()
                case .request(let request):
                    let previous = isExclusive ? current : nil
                    let next = RequestInProgress(id: request.id) { isEnded in
                        await previous?.finish()
                        try await self.respond(to: request, isEnded, rejected, body)
                    }
                    current = next
                    group.addTask { try await next.run() }
                }
            }
        }
    }

    private func respond(
        to request: ReceivedRequest, _ isEnded: @Sendable () -> Bool, _ rejected: (ClientError) throws -> Void,
        _ body: (ReceivedRequest) async throws -> Response?
    ) async throws {
        let response: Response?
        do {
            response = try await body(request)
        } catch is CancellationError where isEnded() {
            response = .cancel
        }
        guard let response else { return }
        do {
            guard isEnded() else { return try await respond(to: request, with: response) }
            // The daemon keeps a receiver busy until it responds. The task is cancelled, and a call in it would be too.
            try await Task { try await self.respond(to: request, with: response) }.value
        } catch let error as ClientError where error.isOfOneRequest {
            if !isEnded() { try rejected(error) }
        }
    }
}

/// A request that is being answered, and can end before it is.
private final class RequestInProgress: Sendable {
    let id: String
    private let task: Task<Void, any Error>
    private let hasEnded: Ending

    private final class Ending: Sendable {
        let flag = Atomic(false)
    }

    /// Begins to answer.
    ///
    /// - Parameters:
    ///   - id: The name of the request.
    ///   - body: Answers it; it can ask whether the request has ended meanwhile.
    init(id: String, _ body: @escaping @Sendable (@Sendable () -> Bool) async throws -> Void) {
        self.id = id
        let ending = Ending()
        hasEnded = ending
        task = Task { try await body { ending.flag.load(ordering: .relaxed) } }
    }

    /// Cancels it, because its caller has left or its limit has expired.
    func end() {
        hasEnded.flag.store(true, ordering: .relaxed)
        task.cancel()
    }

    /// Waits until it is answered, or cannot be.
    func finish() async { _ = await task.result }

    /// Waits until it is answered; it is cancelled with the caller.
    func run() async throws {
        try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }
}

extension ClientError {
    /// Whether it says nothing of requests that may follow.
    fileprivate var isOfOneRequest: Bool {
        switch reason {
        case .unknownRequest, .alreadyAnswered, .tooLate, .disconnected, .unreachable, .invalidCall: true
        default: false
        }
    }
}
