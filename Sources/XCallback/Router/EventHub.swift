import Synchronization
import XCallbackPipeline

/// Distributes requests to all that wait for an event.
final class EventHub: Sendable {
    private struct State {
        var listeners: [String: [Int: AsyncStream<Request>.Continuation]] = [:]
        var count = 0
    }

    private let state = Mutex(State())

    /// Publishes a request; returns the number of streams that it reached.
    func publish(_ request: Request, to event: String) -> Int {
        let listeners = state.withLock { $0.listeners[event].map { Array($0.values) } ?? [] }
        for listener in listeners { listener.yield(request) }
        return listeners.count
    }

    /// Returns the requests that are published to an event from now on.
    func requests(of event: String, buffering count: Int) -> AsyncStream<Request> {
        let (stream, listener) = AsyncStream.makeStream(of: Request.self, bufferingPolicy: .bufferingNewest(count))
        let id = state.withLock { state in
            state.count += 1
            state.listeners[event, default: [:]][state.count] = listener
            return state.count
        }
        listener.onTermination = { [weak self] _ in
            self?.state.withLock { state in
                state.listeners[event]?[id] = nil
                if state.listeners[event]?.isEmpty == true { state.listeners[event] = nil }
            }
        }
        return stream
    }
}
