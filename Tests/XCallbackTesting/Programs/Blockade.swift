import Dispatch
import Glibc
import Synchronization

/// Blocks every thread of the pool that all tasks share, then waits for the outcome of some work.
///
/// - Parameter body: Starts the work; its argument must be called with the outcome.
/// - Returns: The outcome; nil if it takes more than ten seconds.
package func whilePoolIsBlocked(_ body: (@escaping @Sendable (String?) -> Void) -> Void) -> String? {
    blockades.wait()
    let blockade = Blockade()
    defer {
        blockade.end()
        blockades.signal()
    }
    return blockade.outcome(of: body)
}

/// One blockade at a time: two would wait for each other's threads.
private let blockades = DispatchSemaphore(value: 1)

private final class Blockade: Sendable {
    private let gate = DispatchSemaphore(value: 0)
    private let finished = DispatchSemaphore(value: 0)
    private let entered = DispatchSemaphore(value: 0)
    private let result = Mutex<String?>(nil)
    /// More than the number of threads, because each new thread must be blocked as well.
    private let count = 4 * max(sysconf(Int32(_SC_NPROCESSORS_ONLN)), 4)

    init() {
        Self.waitForQueues()
        for _ in 0..<count { Task.detached { self.block() } }
        // The thread of the test is one of the pool; work that holds another one longer blocks it just as well.
        for _ in 1..<sysconf(Int32(_SC_NPROCESSORS_ONLN)) { _ = entered.wait(timeout: .now() + .seconds(3)) }
    }

    /// Waits until Dispatch has threads for more queues: their current work may need the pool to continue.
    private static func waitForQueues() {
        let (begun, gate) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        for number in 0..<4 {
            DispatchQueue(label: "Blockade.\(number)").async {
                begun.signal()
                gate.wait()
            }
        }
        for _ in 0..<4 { begun.wait() }
        for _ in 0..<4 { gate.signal() }
    }

    func outcome(of body: (@escaping @Sendable (String?) -> Void) -> Void) -> String? {
        body { text in
            self.result.withLock { $0 = text }
            self.finished.signal()
        }
        return finished.wait(timeout: .now() + .seconds(10)) == .success ? result.withLock { $0 } : nil
    }

    func end() {
        for _ in 0..<count { gate.signal() }
    }

    private func block() {
        entered.signal()
        gate.wait()
    }
}
