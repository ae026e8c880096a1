import XCallbackPipeline
import XCallbackURL

/// How requests are served.
package struct ServingManner: Sendable {
    /// Whether a request waits until the previous one ends, even if that was cancelled.
    var isExclusive: Bool
    /// Whether to wait for a daemon that is not running yet or does not have the name.
    var waitsForDaemon: Bool
    /// The key of the receiver in the daemon, with which a cancelled receiver can complete its requests; nil if it
    /// stops at once.
    var key: String?

    /// A program in a terminal, which answers one request at a time.
    package static let program = ServingManner(isExclusive: true, waitsForDaemon: false)

    /// The router of an application.
    package static func router(key: String) -> ServingManner {
        ServingManner(isExclusive: false, waitsForDaemon: true, key: key)
    }
}

extension Client {
    /// Answers the requests that are delivered to a name, one at a time, until the task is cancelled.
    ///
    /// A request is cancelled when its caller leaves, it times out, or the daemon goes away. The daemon delivers the next
    /// request after the response, or after the timeout.
    ///
    /// - Parameters:
    ///   - name: The name.
    ///   - manner: How the requests are served.
    ///   - watcher: Receives the reason while there is no daemon, and nil when there is one.
    ///   - rejected: Receives the error and the request if a response is too late or too long, or the daemon has gone
    ///     away; it may throw.
    ///   - body: Makes the response; nil for none.
    /// - Throws: ``ClientError`` if the name cannot be received; the errors of the functions; `CancellationError`.
    package func serve(
        as name: String, _ manner: ServingManner, watcher: @escaping @Sendable (ClientError?) -> Void = { _ in },
        rejected: @escaping @Sendable (ClientError, ReceivedRequest) throws -> Void,
        _ body: @escaping @Sendable (ReceivedRequest) async throws -> Response?
    ) async throws {
        let isRetiring = Flag()
        guard let key = manner.key else {
            let deliveries = try await deliveries(receivedAs: name, manner, isRetiring, watcher)
            return try await answer(deliveries, manner, isRetiring, rejected, body)
        }
        // Both continue after the caller is cancelled, until all requests are answered: a stream that has started has requests.
        let beginning = Task { try await deliveries(receivedAs: name, manner, isRetiring, watcher) }
        let answering = Task { try await answer(beginning.value, manner, isRetiring, rejected, body) }
        try await withTaskCancellationHandler {
            try await answering.value
            try Task.checkCancellation()
        } onCancel: {
            isRetiring.raise()
            Task {
                do {
                    try await withTimeout(Self.retirementTime) {
                        _ = try await beginning.value
                        try await self.retire(name: name, key: key)
                    }
                } catch {
                    // A daemon that is gone, hangs, or has an earlier version has nothing to wait for.
                    beginning.cancel()
                    answering.cancel()
                }
            }
        }
    }

    /// How long the daemon may take to retire a receiver.
    private static var retirementTime: Duration { .seconds(5) }

    /// Starts to receive, and waits for the daemon if required.
    private func deliveries(
        receivedAs name: String, _ manner: ServingManner, _ isRetiring: Flag,
        _ watcher: @escaping @Sendable (ClientError?) -> Void
    ) async throws -> Events<Delivery> {
        var backOff = BackOff()
        while true {
            do {
                let deliveries = try await deliveries(receivedAs: name, key: manner.key, watcher: watcher)
                watcher(nil)
                return deliveries
            } catch let error as ClientError where manner.waitsForDaemon && error.isTransient {
                watcher(error)
            }
            try await isRetiring.sleep(for: backOff.next())
        }
    }

    /// Answers the delivered requests.
    private func answer(
        _ deliveries: Events<Delivery>, _ manner: ServingManner, _ isRetiring: Flag,
        _ rejected: @escaping @Sendable (ClientError, ReceivedRequest) throws -> Void,
        _ body: @escaping @Sendable (ReceivedRequest) async throws -> Response?
    ) async throws {
        try await withThrowingDiscardingTaskGroup { group in
            var current: RequestInProgress?
            var iterator = deliveries.makeAsyncIterator()
            while let delivery = try await iterator.nextUntilRetired() {
                switch delivery {
                case .ended(let id): if current?.id == id { current?.end() }
                case .away:
                    current?.end()
                    if isRetiring.isRaised { return }
                case .request(let request):
                    let previous = manner.isExclusive ? current : nil
                    let next = RequestInProgress(id: request.id) { isEnded in
                        await previous?.finish()
                        try await self.respond(to: request, isEnded, rejected, body)
                    }
                    current = next
                    group.addTask { try await next.run(within: request.limit) }
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
            guard isEnded() else { return try await respond(to: request, with: response) }
            // The daemon considers a receiver busy until it responds. This task is cancelled, so the call must run in
            // another one.
            try await Task { try await self.respond(to: request, with: response) }.value
        } catch let error as ClientError where error.isOfOneRequest {
            if !isEnded() { try rejected(error, request) }
            // Otherwise the caller would wait until its time limit.
            guard case .tooLong(let limit) = error.reason else { return }
            let text = "The answer is longer than the \(limit) bytes that the daemon accepts."
            try await respond(to: request, with: .error(CallbackError(.internalFailure, text)))
        }
    }
}

extension Client.Events.Iterator where Element == Client.Delivery {
    /// Returns the next delivery; nil after the receiver was retired.
    fileprivate mutating func nextUntilRetired() async throws -> Client.Delivery? {
        do {
            return try await next()
        } catch let error as ClientError where error.reason == .retired {
            return nil
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
