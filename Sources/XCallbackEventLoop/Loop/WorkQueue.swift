import Dispatch
import Synchronization

/// A serial Dispatch queue for work that may take long, which whoever hands it over does not wait for.
///
/// Dispatch waits, in whoever calls it, for as long as the system has no thread to give. So one queue keeps its thread
/// from the start of the daemon on and lets the others begin: without threads they are late, and the event loop is not.
package final class WorkQueue: Sendable {
    private static let starter = WorkQueue(label: "xcallbackd.starter")

    private struct State {
        var waiting: [@Sendable () -> Void] = []
        /// Whether a thread is at it, or is about to be.
        var isRunning = false
        /// Whether a thread is at it.
        var hasThread = false
        var keepsThread = false
    }

    private let queue: DispatchQueue
    private let state = Mutex(State())
    /// Signalled when there is work, once it keeps its thread.
    private let arrivals = DispatchSemaphore(value: 0)

    /// Creates a queue without work.
    ///
    /// - Parameters:
    ///   - label: Its name.
    ///   - isUrgent: Whether somebody waits for what it does.
    package init(label: String, isUrgent: Bool = true) {
        queue = DispatchQueue(label: label, qos: isUrgent ? .default : .utility)
    }

    /// Lets all queues of this process begin without waiting for threads; call it while there are some.
    package static func keepStarter() { starter.keepThread() }

    /// Lets it keep a thread for as long as the process lasts: for what has to be done without other threads too.
    package func keepThread() {
        let isKept = state.withLock { state in
            defer { state.keepsThread = true }
            return state.keepsThread
        }
        if isKept { return }
        queue.async { @Sendable [self] in
            while true {
                work()
                arrivals.wait()
            }
        }
    }

    /// Whether there is work, and no thread to do it.
    package var lacksThread: Bool { state.withLock { $0.isRunning && !$0.hasThread } }

    /// Has something done after all that was handed over before.
    package func async(_ work: @escaping @Sendable () -> Void) {
        let begin: (Bool, keepsThread: Bool) = state.withLock { state in
            state.waiting.append(work)
            defer { state.isRunning = true }
            return (!state.isRunning, state.keepsThread)
        }
        switch begin {
        case (false, _): break
        case (true, keepsThread: true): arrivals.signal()
        case (true, keepsThread: false): Self.starter.begin(self)
        }
    }

    /// Does something in this thread after all that was handed over before, which is waited for.
    package func sync(_ work: @Sendable () -> Void) {
        withoutActuallyEscaping(work) { work in
            let isDone = DispatchSemaphore(value: 0)
            let isIdle = state.withLock { state in
                if state.isRunning {
                    state.waiting.append {
                        work()
                        isDone.signal()
                    }
                }
                defer { state.isRunning = true }
                return !state.isRunning
            }
            guard isIdle else { return isDone.wait() }
            work()
            self.work()
        }
    }

    /// Waits until all work is done, or for a while.
    package func finish(within limit: Duration) {
        guard state.withLock({ $0.isRunning }) else { return }
        let isDone = DispatchSemaphore(value: 0)
        async { isDone.signal() }
        _ = isDone.wait(timeout: .now() + limit / .seconds(1))
    }

    /// Lets another queue begin.
    private func begin(_ other: WorkQueue) {
        guard state.withLock({ $0.keepsThread }) else { return other.queue.async { @Sendable in other.work() } }
        async { other.queue.async { @Sendable in other.work() } }
    }

    /// Works until nothing waits.
    private func work() {
        while true {
            let waiting = state.withLock { state in
                state.isRunning = !state.waiting.isEmpty
                state.hasThread = state.isRunning
                defer { state.waiting = [] }
                return state.waiting
            }
            if waiting.isEmpty { return }
            for work in waiting { work() }
        }
    }
}
