import XCallbackPipeline

/// How requests are served.
package struct ServingManner: Sendable {
    /// Whether a request waits for the end of the one before, even if that was cancelled.
    var isExclusive: Bool
    /// Whether a daemon that is not there yet, or does not know the name, is waited for.
    var waitsForDaemon: Bool
    /// What the daemon knows the receiver by, which lets it finish what it has when it is cancelled; nil if it stops at once.
    var key: String?

    /// A program that answers one request after the other, in a terminal.
    package static let program = ServingManner(isExclusive: true, waitsForDaemon: false)

    /// A router of an application.
    package static func router(key: String) -> ServingManner {
        ServingManner(isExclusive: false, waitsForDaemon: true, key: key)
    }
}

extension Client {
    /// Answers the requests that are delivered to a name, one after the other, until the task is cancelled.
    ///
    /// A request is cancelled when its caller has left, its limit has expired, or the daemon has gone away. The daemon
    /// hands over the next one when it is responded to, or at its limit.
    ///
    /// - Parameters:
    ///   - name: The name.
    ///   - manner: How that is done.
    ///   - watcher: Is told why there is no daemon to serve meanwhile, and nil when there is one.
    ///   - rejected: Is given the error if a response comes too late or the daemon has gone; it may throw.
    ///   - body: Makes the response, or nil if there is none.
    /// - Throws: ``ClientError`` if the name cannot be received, what the functions throw, or `CancellationError`.
    package func serve(
        as name: String, _ manner: ServingManner, watcher: @escaping @Sendable (ClientError?) -> Void = { _ in },
        rejected: @escaping @Sendable (ClientError) throws -> Void,
        _ body: @escaping @Sendable (ReceivedRequest) async throws -> Response?
    ) async throws {
        let isRetiring = Flag()
        guard let key = manner.key else {
            let deliveries = try await deliveries(receivedAs: name, manner, isRetiring, watcher)
            return try await answer(deliveries, manner, isRetiring, rejected, body)
        }
        // Both go on when the caller is cancelled, until nothing is left to answer: a stream that has begun has requests.
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
                    // A daemon that is gone, hangs, or is of an earlier version has nothing that could be waited for.
                    beginning.cancel()
                    answering.cancel()
                }
            }
        }
    }

    /// How long the daemon may take to know that a receiver wants no more.
    private static var retirementTime: Duration { .seconds(5) }

    /// Begins to receive, and waits for the daemon if that is wanted.
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

    /// Answers what is delivered.
    private func answer(
        _ deliveries: Events<Delivery>, _ manner: ServingManner, _ isRetiring: Flag,
        _ rejected: @escaping @Sendable (ClientError) throws -> Void,
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

extension Client.Events.Iterator where Element == Client.Delivery {
    /// The next delivery; nil once the receiver was retired.
    fileprivate mutating func nextUntilRetired() async throws -> Client.Delivery? {
        do {
            return try await next()
        } catch let error as ClientError where error.reason == .retired {
            return nil
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
