import Synchronization
import XCallbackClient

/// Sums up what becomes of several streams: a router is reached as long as one of them is there.
final class ServingWatch: Sendable {
    private struct State {
        var streams: Set<Int> = []
        var told: Router.ServingState?
    }

    private let state = Mutex(State())
    private let observe: @Sendable (Router.ServingState) -> Void

    /// Begins without streams.
    ///
    /// - Parameter observe: Is told what has changed.
    init(_ observe: @escaping @Sendable (Router.ServingState) -> Void) {
        self.observe = observe
    }

    /// Notes that a stream is there, or why it is not.
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
    /// `serving`, or why it waits.
    public var description: String {
        switch self {
        case .serving: "serving"
        case .waiting(let error): "waiting: \(error)"
        }
    }
}
