import CLinux
import Dispatch
import Synchronization

/// A serial Dispatch queue for slow work, whose callers do not wait.
///
/// Dispatch blocks its caller while the system has no thread. Therefore one queue keeps its thread from the start of the
/// daemon and starts the others: without threads their work is late, but the event loop is not.
package final class WorkQueue: Sendable {
    private static let starter = WorkQueue(label: "xcallbackd.starter")

    /// The state of the queue.
    private enum Phase {
        /// No work waits.
        case idle
        /// A thread was requested from Dispatch, or is about to be.
        case begun
        /// A thread is working.
        case working
    }

    private struct State {
        var waiting: [@Sendable () -> Void] = []
        var phase = Phase.idle
        var keepsThread = false
    }

    private let queue: DispatchQueue
    private let state = Mutex(State())
    /// Signaled when there is work, if the queue keeps its thread.
    private let arrivals = DispatchSemaphore(value: 0)

    /// Creates a queue without work.
    ///
    /// - Parameters:
    ///   - label: The name of the queue.
    ///   - isUrgent: Whether a caller waits for the result.
    package init(label: String, isUrgent: Bool = true) {
        queue = DispatchQueue(label: label, qos: isUrgent ? .default : .utility)
    }

    /// Makes all queues of this process start without waiting for threads; call it while threads are available.
    package static func keepStarter() { starter.keepThread() }

    /// Keeps a thread for the lifetime of the process: for work that must be possible without other threads.
    package func keepThread() {
        let isKept = state.withLock { state in
            defer { state.keepsThread = true }
            return state.keepsThread
        }
        if isKept { return }
        queue.async { @Sendable [self] in
            while true {
                begin()
                arrivals.wait()
            }
        }
    }

    /// Whether there is work without a thread.
    package var lacksThread: Bool { state.withLock { $0.phase == .begun } }

    /// Runs a function after all earlier work.
    package func async(_ work: @escaping @Sendable () -> Void) {
        let begin: (Bool, keepsThread: Bool) = state.withLock { state in
            state.waiting.append(work)
            guard state.phase == .idle else { return (false, state.keepsThread) }
            state.phase = .begun
            return (true, state.keepsThread)
        }
        switch begin {
        case (false, _): break
        case (true, keepsThread: true): arrivals.signal()
        case (true, keepsThread: false): Self.starter.begin(self)
        }
    }

    /// Runs a function in this thread after all earlier work, which it waits for.
    package func sync(_ work: @escaping @Sendable () -> Void) {
        let isDone = DispatchSemaphore(value: 0)
        let isMine = state.withLock { state in
            state.waiting.append {
                work()
                isDone.signal()
            }
            // A requested thread may never start, and finds no work if it does.
            defer { state.phase = .working }
            return state.phase != .working
        }
        if isMine { self.work() }
        isDone.wait()
    }

    /// Waits until all work is done, or until a time limit; call it before the process ends.
    ///
    /// If no thread has started after half of the time, the calling thread does the work. If that takes longer than the other
    /// half, its blocking system calls fail with `EINTR`.
    package func finish(within limit: Duration) {
        guard state.withLock({ $0.phase != .idle }) else { return }
        let isDone = DispatchSemaphore(value: 0)
        async { isDone.signal() }
        xcb_finish_work()
        if isDone.wait(timeout: .now() + limit / .seconds(2)) == .success { return }
        let lacksThread = state.withLock { state in
            guard state.phase == .begun else { return false }
            state.phase = .working
            return true
        }
        if lacksThread {
            let end = monotonicTime() + nanoseconds(limit / 2)
            interruptCalls(after: limit / 2) { work(until: end) }
        } else {
            _ = isDone.wait(timeout: .now() + limit / .seconds(2))
        }
    }

    /// Starts another queue.
    private func begin(_ other: WorkQueue) {
        guard state.withLock({ $0.keepsThread }) else { return other.startThread() }
        async { other.startThread() }
    }

    /// Starts a worker thread as soon as the system has one.
    private func startThread() {
        let work = Unmanaged.passRetained(self)
        let isTaken = xcb_begin_work(work.toOpaque()) { work in
            if let work { Unmanaged<WorkQueue>.fromOpaque(work).takeRetainedValue().begin() }
        }
        if isTaken != 0 { return }
        queue.async { @Sendable in work.takeRetainedValue().begin() }
    }

    /// Works in a requested thread, unless another thread has done the work.
    private func begin() {
        let isWanted = state.withLock { state in
            guard state.phase == .begun else { return false }
            state.phase = .working
            return true
        }
        if isWanted { work() }
    }

    /// Works until nothing is pending, or until a time limit; then the rest waits for a thread.
    private func work(until end: Int64 = .max) {
        while true {
            var waiting = state.withLock { state in
                if state.waiting.isEmpty { state.phase = .idle }
                defer { state.waiting = [] }
                return state.waiting[...]
            }
            if waiting.isEmpty { return }
            while let work = waiting.popFirst() {
                work()
                guard end < .max, monotonicTime() >= end else { continue }
                return state.withLock { state in
                    state.waiting = waiting + state.waiting
                    state.phase = .begun
                }
            }
        }
    }
}
