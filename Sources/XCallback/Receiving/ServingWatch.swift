import Synchronization
import XCallbackClient

/// Combines the states of several streams: a router is being served as long as one of them is connected.
final class ServingWatch: Sendable {
    private struct State {
        var streams: Set<Int> = []
        var told: Router.ServingState?
    }

    private let state = Mutex(State())
    private let observe: @Sendable (Router.ServingState) -> Void

    /// Creates a watch without streams.
    ///
    /// - Parameter observe: Receives each change.
    init(_ observe: @escaping @Sendable (Router.ServingState) -> Void) {
        self.observe = observe
    }

    /// Records that a stream is connected, or why it is not.
    func note(_ error: ClientError?, of stream: Int) {
        let news: Router.ServingState? = state.withLock { state in
            if error == nil { state.streams.insert(stream) } else { state.streams.remove(stream) }
            let now = error.map { Router.ServingState.waiting($0) } ?? .serving
            guard state.streams.isEmpty == (error != nil), state.told != now else { return nil }
            state.told = now
            return now
        }
        if let news { observe(news) }
    }
}

extension Router.ServingState: CustomStringConvertible {
    /// `serving`, or the reason for waiting.
    public var description: String {
        switch self {
        case .serving: "serving"
        case .waiting(let error): "waiting: \(error)"
        }
    }
}
