import XCallbackPipeline
import XCallbackURL

/// How requests are served.
package enum ServingManner: Sendable {
    /// A program in a terminal: it answers one request at a time, needs a daemon from the start, and stops at once.
    case program
    /// A part of an application: it waits for the daemon, and answers its requests before it stops.
    case router(concurrentRequests: Int)
}

extension Client {
    /// Answers the requests that are delivered to a name, until the task is cancelled.
    ///
    /// A request is cancelled when its caller leaves, it times out, or the daemon goes away. The daemon delivers another
    /// request after the response, or after the timeout.
    ///
    /// - Parameters:
    ///   - name: The name.
    ///   - manner: How the requests are served.
    ///   - watcher: Receives the reason while there is no daemon, and nil when there is one.
    ///   - rejected: Receives the error and the request if a response is too late or too long, or the daemon has gone
    ///     away; it may throw.
    ///   - body: Makes the response; nil for none.
    /// - Throws: ``ClientError`` if the name cannot be received; the errors of the functions; `CancellationError` of a
    ///   program.
    package func serve(
        as name: String, _ manner: ServingManner, watcher: @escaping @Sendable (ClientError?) -> Void = { _ in },
        rejected: @escaping @Sendable (ClientError, ReceivedRequest) throws -> Void,
        _ body: @escaping @Sendable (ReceivedRequest) async throws -> Response?
    ) async throws {
        guard case .router(let count) = manner else {
            let deliveries = deliveryEvents(name, watcher: watcher)
            try await deliveries.begin()
            watcher(nil)
            return try await answer(deliveries, isExclusive: true, Flag(), rejected, body)
        }
        let key = String(UInt64.random(in: 0 ... .max), radix: 36)
        let isRetiring = Flag()
        let retire = { @Sendable in
            try await withTimeout(Self.retirementTime) { try await self.retire(name: name, key: key) }
        }
        let deliveries = deliveryEvents(
            name, concurrently: count, key: key,
            watcher: { error in
                watcher(error)
                // A connection that was being made when the task was cancelled.
                if error == nil, isRetiring.isRaised { Task { try await retire() } }
            }, pause: isRetiring.sleep)
        // It continues after the caller is cancelled, until all requests are answered.
        let answering = Task { try await answer(deliveries, isExclusive: false, isRetiring, rejected, body) }
        do {
            try await withTaskCancellationHandler {
                try await answering.value
            } onCancel: {
                isRetiring.raise()
                Task {
                    // A daemon that is gone, hangs, or has an earlier version has nothing to wait for.
                    do { try await retire() } catch { answering.cancel() }
                }
            }
        } catch is CancellationError where isRetiring.isRaised {}
    }

    /// How long the daemon may take to retire a receiver.
    private static var retirementTime: Duration { .seconds(5) }

    /// Answers the delivered requests.
    private func answer(
        _ deliveries: Events<Delivery>, isExclusive: Bool, _ isRetiring: Flag,
        _ rejected: @escaping @Sendable (ClientError, ReceivedRequest) throws -> Void,
        _ body: @escaping @Sendable (ReceivedRequest) async throws -> Response?
    ) async throws {
        try await withThrowingDiscardingTaskGroup { group in
            var current: [String: RequestInProgress] = [:]
            var last: RequestInProgress?
            while let delivery = try await deliveries.nextUntilRetired() {
                switch delivery {
                case .ended(let id): current[id]?.end()
                case .away:
                    for request in current.values { request.end() }
                    if isRetiring.isRaised { return }
                case .request(let request):
                    current = current.filter { !$0.value.isFinished }
                    // A program's request waits until the previous one ends, even if that was cancelled.
                    let previous = isExclusive ? last : nil
                    let next = RequestInProgress { isEnded in
                        await previous?.finish()
                        try await self.respond(to: request, isEnded, rejected, body)
                    }
                    current[request.id] = next
                    last = next
                    group.addTask { try await next.run() }
                }
            }
        }
    }

    private func respond(
        to request: ReceivedRequest, _ isEnded: @Sendable () -> Bool,
        _ rejected: (ClientError, ReceivedRequest) throws -> Void,
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
            guard isEnded() else { return try await respond(toRequest: request.id, with: response) }
            // The daemon considers a receiver busy until it responds. This task is cancelled, so the call must run in
            // another one.
            try await Task { try await self.respond(toRequest: request.id, with: response) }.value
        } catch let error as ClientError where error.isOfOneRequest {
            if !isEnded() { try rejected(error, request) }
            // Otherwise the caller would wait until its time limit.
            guard case .tooLong(let limit) = error.reason else { return }
            let text = "The answer is longer than the \(limit) bytes that the daemon accepts."
            try await respond(toRequest: request.id, with: .error(CallbackError(.internalFailure, text)))
        }
    }
}

extension Client.Events where Element == Client.Delivery {
    /// Returns the next delivery; nil after the receiver was retired.
    fileprivate func nextUntilRetired() async throws -> Client.Delivery? {
        do {
            return try await next()
        } catch let error as ClientError where error.reason == .retired {
            return nil
        }
    }
}

/// A request that is being answered, and can end before that.
private final class RequestInProgress: Sendable {
    private let task: Task<Void, any Error>
    private let hasEnded = Flag()
    private let hasFinished = Flag()

    /// Starts to answer a request.
    ///
    /// - Parameter body: Answers the request; its argument returns whether the request has ended in the meantime.
    init(_ body: @escaping @Sendable (@Sendable () -> Bool) async throws -> Void) {
        task = Task { [hasEnded, hasFinished] in
            defer { hasFinished.raise() }
            try await body { hasEnded.isRaised }
        }
    }

    /// Whether the request is answered or has failed.
    var isFinished: Bool { hasFinished.isRaised }

    /// Cancels the request, because its caller has left or it has timed out.
    func end() {
        hasEnded.raise()
        task.cancel()
    }

    /// Waits until the request is answered or has failed.
    func finish() async { _ = await task.result }

    /// Waits until the request is answered; it is cancelled with the caller.
    func run() async throws {
        try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }
}

extension ClientError {
    /// Whether the error concerns one request only, and not those that follow.
    package var isOfOneRequest: Bool {
        switch reason {
        case .unknownRequest, .alreadyAnswered, .tooLate, .tooLong, .disconnected, .unreachable, .invalidCall: true
        default: false
        }
    }
}
