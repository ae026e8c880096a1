import Glibc
import Synchronization
package import XCallbackRouter
import XCallbackURL
package import XCallbackWire

/// How requests are served.
package enum ServingManner: Sendable {
    /// A program in a terminal: it answers one request at a time, needs a daemon from the start, and stops at once.
    case program
    /// A part of an application: it waits for the daemon, and answers its requests before it stops.
    ///
    /// The daemon compares the types of its routes with the configuration; a difference is reported.
    case router(concurrentRequests: Int, typed: JSONValue, differing: @Sendable ([String]) -> Void)
}

extension Client {
    /// Answers the requests that are delivered to a name, until the task is cancelled.
    ///
    /// A request is cancelled when its caller leaves, it times out, or the daemon goes away; its response is sent all the
    /// same, because the daemon considers a receiver busy until then. Nothing that happens to a request affects others.
    ///
    /// - Parameters:
    ///   - name: The name.
    ///   - manner: How the requests are served.
    ///   - watcher: Receives the reason while there is no daemon, and nil when there is one.
    ///   - rejected: Receives the error and the request if the daemon does not accept a response, for example because it
    ///     is too late or too long, or if the daemon has gone away.
    ///   - body: Makes the response. An error is that of its request only.
    /// - Throws: ``ClientError`` if the name cannot be received; `CancellationError` of a program.
    package func serve(
        as name: String, _ manner: ServingManner, watcher: @escaping @Sendable (ClientError?) -> Void = { _ in },
        rejected: @escaping @Sendable (ClientError, ReceivedRequest) -> Void,
        _ body: @escaping @Sendable (ReceivedRequest) async throws -> Response
    ) async throws {
        guard case .router(let count, let routes, let differing) = manner else {
            let deliveries = deliveryEvents(name, watcher: watcher)
            try await deliveries.begin()
            watcher(nil)
            return try await answer(deliveries, isExclusive: true, Flag(), { _ in }, rejected, body)
        }
        let key = String(UInt64.random(in: 0 ... .max), radix: 36)
        let isRetiring = Flag()
        // It continues after the caller is cancelled, until all requests are answered.
        let answering = Mutex<Task<Void, any Error>?>(nil)
        let retire = { @Sendable in
            _ = Task { @Sendable in
                do {
                    try await withTimeout(Self.retirementTime) { try await self.retire(name: name, key: key) }
                } catch {
                    // A daemon that is gone, hangs, or has an earlier version has nothing to wait for.
                    answering.withLock { $0?.cancel() }
                }
            }
        }
        let deliveries = deliveryEvents(
            name, concurrently: count, key: key, typed: routes,
            watcher: { error in
                watcher(error)
                // A connection that was being made when the task was cancelled.
                if error == nil, isRetiring.isRaised { retire() }
            }, pause: isRetiring.sleep)
        let task = Task { try await answer(deliveries, isExclusive: false, isRetiring, differing, rejected, body) }
        answering.withLock { $0 = task }
        do {
            try await withTaskCancellationHandler {
                try await task.value
            } onCancel: {
                isRetiring.raise()
                retire()
            }
        } catch is CancellationError where isRetiring.isRaised {}
    }

    /// How long the daemon may take to retire a receiver.
    private static var retirementTime: Duration { .seconds(5) }

    /// Answers the delivered requests.
    private func answer(
        _ deliveries: Events<ReceiverEvent>, isExclusive: Bool, _ isRetiring: Flag,
        _ differing: @Sendable ([String]) -> Void,
        _ rejected: @escaping @Sendable (ClientError, ReceivedRequest) -> Void,
        _ body: @escaping @Sendable (ReceivedRequest) async throws -> Response
    ) async throws {
        // No child of this group may throw, because that would cancel all others.
        try await withThrowingDiscardingTaskGroup { group in
            var current: [String: RequestInProgress] = [:]
            var last: RequestInProgress?
            while let delivery = try await deliveries.nextUntilRetired() {
                switch delivery {
                case .ended(let id): current[id]?.end()
                case .differing(let differences): differing(differences)
                case .away:
                    for request in current.values { request.end() }
                    if isRetiring.isRaised { return }
                case .request(let request):
                    current = current.filter { !$0.value.isFinished }
                    // A program's request waits until the previous one ends, even if that was cancelled.
                    let previous = isExclusive ? last : nil
                    let next = RequestInProgress {
                        await previous?.wait()
                        return try await AsyncSemaphore.$nested.withValue(request.isNested ? .ofRequest : nil) {
                            try await body(request)
                        }
                    }
                    current[request.id] = next
                    last = next
                    group.addTask {
                        defer { next.finish() }
                        guard let response = await next.response() else { return }
                        await self.send(response, to: request) { if !next.hasEnded { rejected($0, request) } }
                    }
                }
            }
        }
    }

    /// Returns what sends the newest progress of a request, at most four times a second.
    package func progressReceiver(ofRequest id: String) -> some ProgressReceiver { ProgressSender(self, id) }

    /// Sends a response; reports why the daemon does not accept it.
    private func send(
        _ response: Response, to request: ReceivedRequest, _ rejected: (ClientError) -> Void
    ) async {
        do {
            try await respond(toRequest: request.id, with: response)
        } catch let error as ClientError {
            rejected(error)
            // Otherwise the caller would wait until its time limit.
            guard case .tooLong(let limit) = error.reason else { return }
            let text = "The answer is longer than the \(limit) bytes that the daemon accepts."
            _ = try? await respond(toRequest: request.id, with: .error(CallbackError(.internalFailure, text)))
        } catch {
            // The program stops.
        }
    }
}

extension Client.Events where Element == Client.ReceiverEvent {
    /// Returns the next delivery; nil after the receiver was retired.
    fileprivate func nextUntilRetired() async throws -> Client.ReceiverEvent? {
        do {
            return try await next()
        } catch let error as ClientError where error.reason == .retired {
            return nil
        }
    }
}

/// A request that is being answered, and can end before that.
private final class RequestInProgress: Sendable {
    private let handling: Task<Response?, Never>
    private let (isEnded, isDone) = (Flag(), Flag())

    /// Starts to handle a request.
    ///
    /// - Parameter body: Makes the response.
    init(_ body: @escaping @Sendable () async throws -> Response) {
        handling = Task { [isEnded] in
            do {
                return try await body()
            } catch is CancellationError {
                return isEnded.isRaised ? .cancel : nil
            } catch {
                return .error(.internalFailure)
            }
        }
    }

    /// Whether the request has ended, because its caller has left or it has timed out.
    var hasEnded: Bool { isEnded.isRaised }

    /// Whether the response is sent.
    var isFinished: Bool { isDone.isRaised }

    /// Cancels the handling, but not the sending of the response.
    func end() {
        isEnded.raise()
        handling.cancel()
    }

    /// Notes that the response is sent.
    func finish() { isDone.raise() }

    /// Waits until the request is handled.
    func wait() async { _ = await handling.value }

    /// Waits for the response; the handling is cancelled with the caller.
    ///
    /// - Returns: The response; nil for none, because the program stops.
    func response() async -> Response? {
        await withTaskCancellationHandler {
            await handling.value
        } onCancel: {
            handling.cancel()
        }
    }
}

/// Sends the newest progress of a request, at most four times a second.
private final class ProgressSender: ProgressReceiver {
    private let client: Client
    private let id: String
    private let state = Mutex<(next: RequestProgress?, isSending: Bool)>((nil, false))

    init(_ client: Client, _ id: String) { (self.client, self.id) = (client, id) }

    func receive(_ progress: RequestProgress) {
        let isFirst = state.withLock { state in
            state.next = progress
            defer { state.isSending = true }
            return !state.isSending
        }
        // The calls of the handler may have all its permits.
        if isFirst { Task.detached { await self.send() } }
    }

    private func send() async {
        while let next = state.withLock({ state in
            state.isSending = state.next != nil
            return state.next.take()
        }) {
            // Without its caller or the daemon, a request has ended.
            try? await client.report(next, ofRequest: id)
            try? await Task.sleep(for: .milliseconds(250))
        }
    }
}
