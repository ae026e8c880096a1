import CLinux
import Dispatch
import Synchronization

/// A serial Dispatch queue for work that may take long, which whoever hands it over does not wait for.
///
/// Dispatch waits, in whoever calls it, for as long as the system has no thread to give. So one queue keeps its thread
/// from the start of the daemon on and lets the others begin: without threads they are late, and the event loop is not.
package final class WorkQueue: Sendable {
    private static let starter = WorkQueue(label: "xcallbackd.starter")

    /// What happens to the work that waits.
    private enum Phase {
        /// No work waits.
        case idle
        /// Dispatch was asked for a thread, or is about to be.
        case begun
        /// A thread is at work.
        case working
    }

    private struct State {
        var waiting: [@Sendable () -> Void] = []
        var phase = Phase.idle
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
                begin()
                arrivals.wait()
            }
        }
    }

    /// Whether there is work, and no thread to do it.
    package var lacksThread: Bool { state.withLock { $0.phase == .begun } }

    /// Has something done after all that was handed over before.
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

    /// Does something in this thread after all that was handed over before, which is waited for.
    package func sync(_ work: @escaping @Sendable () -> Void) {
        let isDone = DispatchSemaphore(value: 0)
        let isMine = state.withLock { state in
            state.waiting.append {
                work()
                isDone.signal()
            }
            // A thread that was asked for may never come, and finds no work if it does.
            defer { state.phase = .working }
            return state.phase != .working
        }
        if isMine { self.work() }
        isDone.wait()
    }

    /// Waits until all work is done, or for a while; call it before the process ends.
    ///
    /// If no thread has come for the work after half of the time, the calling thread does it. If that takes longer than
    /// the other half, its blocking system calls fail with `EINTR`.
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

    /// Lets another queue begin.
    private func begin(_ other: WorkQueue) {
        guard state.withLock({ $0.keepsThread }) else { return other.startThread() }
        async { other.startThread() }
    }

    /// Lets a thread begin to work, as soon as the system has one.
    private func startThread() {
        let work = Unmanaged.passRetained(self)
        let isTaken = xcb_begin_work(work.toOpaque()) { work in
            if let work { Unmanaged<WorkQueue>.fromOpaque(work).takeRetainedValue().begin() }
        }
        if isTaken != 0 { return }
        queue.async { @Sendable in work.takeRetainedValue().begin() }
    }

    /// Works in a thread that was asked for, unless another one has done so since.
    private func begin() {
        let isWanted = state.withLock { state in
            guard state.phase == .begun else { return false }
            state.phase = .working
            return true
        }
        if isWanted { work() }
    }

    /// Works until nothing waits, or for a while; the rest then waits for a thread.
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
