import Dispatch

/// Where those who arrive wait until it is opened.
final class Gate: Sendable {
    private let arrivals = DispatchSemaphore(value: 0)
    private let passage = DispatchSemaphore(value: 0)

    /// Arrives, and waits.
    func pass() {
        arrivals.signal()
        passage.wait()
        passage.signal()
    }

    /// Waits until so many have arrived, for ten seconds each at most.
    func waitForArrivals(_ count: Int) {
        for _ in 0..<count { _ = arrivals.wait(timeout: .now() + .seconds(10)) }
    }

    /// Lets all pass who wait or will arrive.
    func open() {
        passage.signal()
    }
}
