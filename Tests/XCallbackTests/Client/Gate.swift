import Dispatch
import Synchronization

/// Where those who arrive wait until it is opened.
final class Gate: Sendable {
    private let passage = DispatchSemaphore(value: 0)
    private let state = Mutex(State())

    private struct State {
        var arrivalCount = 0
        var waiting: (count: Int, continuation: CheckedContinuation<Void, Never>)?

        /// Takes what waits, if enough have arrived.
        mutating func takeReached() -> CheckedContinuation<Void, Never>? {
            guard let count = waiting?.count, arrivalCount >= count else { return nil }
            defer { waiting = nil }
            return waiting?.continuation
        }
    }

    /// Arrives, and waits; the caller has a thread of its own.
    func pass() {
        let reached = state.withLock { state in
            state.arrivalCount += 1
            return state.takeReached()
        }
        reached?.resume()
        passage.wait()
        passage.signal()
    }

    /// Waits until so many have arrived, however long that takes: the test has a time limit.
    ///
    /// Those who are to arrive need threads of tasks, of which this takes none away.
    func waitForArrivals(_ count: Int) async {
        await withCheckedContinuation { continuation in
            let reached = state.withLock { state in
                state.waiting = (count, continuation)
                return state.takeReached()
            }
            reached?.resume()
        }
    }

    /// Lets all pass who wait or will arrive.
    func open() {
        passage.signal()
    }
}
