import Synchronization
import XCallbackPipeline
import XCallbackURL

/// Distributes requests to all that wait for an event, and to the listener that answers it.
final class EventHub: Sendable {
    typealias Answer = @Sendable (Request) async throws -> Response

    private struct Event {
        var listeners: [Int: AsyncStream<Request>.Continuation] = [:]
        /// The functions that answer; the one that was added last does.
        var answers: [(id: Int, answer: Answer)] = []
    }

    private struct State {
        var events: [String: Event] = [:]
        var count = 0
    }

    private let state = Mutex(State())

    /// Publishes a request; returns the answer to it.
    func publish(_ request: Request, to name: String) async throws -> Response {
        let event = state.withLock { $0.events[name] }
        for listener in (event?.listeners ?? [:]).values { listener.yield(request) }
        guard let answer = event?.answers.last?.answer else { return .success(QueryItems()) }
        return try await answer(request)
    }

    /// Returns the requests that are published to an event from now on.
    func requests(of name: String, buffering count: Int) -> AsyncStream<Request> {
        let (stream, listener) = AsyncStream.makeStream(of: Request.self, bufferingPolicy: .bufferingNewest(count))
        let id = change(name) { event, id in event.listeners[id] = listener }
        listener.onTermination = { [weak self] _ in _ = self?.change(name) { event, _ in event.listeners[id] = nil } }
        return stream
    }

    /// Adds a function that answers an event; returns its ID.
    func add(_ answer: @escaping Answer, to name: String) -> Int {
        change(name) { event, id in event.answers.append((id, answer)) }
    }

    /// Removes a function that answers an event.
    func remove(answerWithID id: Int, from name: String) {
        _ = change(name) { event, _ in event.answers.removeAll { $0.id == id } }
    }

    /// Changes an event; returns an ID for what is added.
    private func change(_ name: String, _ body: (inout Event, Int) -> Void) -> Int {
        state.withLock { state in
            state.count += 1
            body(&state.events[name, default: Event()], state.count)
            return state.count
        }
    }
}
