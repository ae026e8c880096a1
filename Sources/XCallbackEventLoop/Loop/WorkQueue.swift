import CLinux
import Dispatch
import Synchronization
package import XCallbackLinux

/// A serial queue for slow work, whose callers do not wait.
///
/// Its thread starts with the first work. If the system has no thread, the work is refused: a queue of Dispatch would block
/// its caller until there is one.
package final class WorkQueue: Sendable {
    private struct State {
        var waiting: [@Sendable () -> Void] = []
        /// The number of functions that have not ended.
        var pendingCount = 0
        /// Whether a thread does the work, or waits for some.
        var hasThread = false
    }

    private let idleTime: Duration?
    private let state = Mutex(State())
    /// Signaled when there is work.
    private let arrivals = DispatchSemaphore(value: 0)

    /// Creates a queue without a thread.
    ///
    /// - Parameter idleTime: How long its thread waits for more work before it ends; nil for ever.
    package init(idleTime: Duration? = .zero) {
        self.idleTime = idleTime
    }

    /// The number of functions that have not ended.
    package var pendingCount: Int { state.withLock(\.pendingCount) }

    /// Runs a function after all earlier work.
    ///
    /// - Throws: ``SystemError`` if the system has no thread for it; then the function does not run.
    package func async(_ work: @escaping @Sendable () -> Void) throws(SystemError) {
        try state.withLock { state throws(SystemError) in
            try startThread(&state)
            state.waiting.append(work)
            state.pendingCount += 1
        }
        arrivals.signal()
    }

    /// Runs a function after all earlier work, and returns its result.
    ///
    /// - Throws: ``SystemError`` if the system has no thread for it.
    package func run<Value: Sendable>(
        _ work: @escaping @Sendable () -> Value
    ) async throws(SystemError) -> Value {
        let outcome: Result<Value, SystemError> = await withCheckedContinuation { continuation in
            do throws(SystemError) {
                try async { continuation.resume(returning: .success(work())) }
            } catch {
                continuation.resume(returning: .failure(error))
            }
        }
        return try outcome.get()
    }

    /// Runs a function after all earlier work, and waits for it; in this thread if there is no other.
    package func sync(_ work: @escaping @Sendable () -> Void) {
        let isDone = DispatchSemaphore(value: 0)
        do throws(SystemError) {
            try async {
                work()
                isDone.signal()
            }
        } catch {
            return work()
        }
        isDone.wait()
    }

    /// Waits until all work is done, or until a time limit.
    package func finish(within limit: Duration) {
        let isDone = DispatchSemaphore(value: 0)
        do throws(SystemError) {
            try async { isDone.signal() }
        } catch {
            // Without a thread there is no work.
            return
        }
        xcb_finish_work()
        _ = isDone.wait(timeout: .now() + limit / .seconds(1))
    }

    /// Starts the thread before there is work for it.
    ///
    /// - Throws: ``SystemError`` if the system has no thread.
    package func start() throws(SystemError) {
        try state.withLock { state throws(SystemError) in try startThread(&state) }
    }

    private func startThread(_ state: inout State) throws(SystemError) {
        if state.hasThread { return }
        let queue = Unmanaged.passRetained(self)
        let code = xcb_start_thread(
            { queue in
                if let queue { Unmanaged<WorkQueue>.fromOpaque(queue).takeRetainedValue().work() }
                return nil
            }, queue.toOpaque())
        guard code == 0 else {
            queue.release()
            throw SystemError.taskShortage("threads", code: code)
        }
        state.hasThread = true
    }

    /// Works in the queue's thread.
    private func work() {
        var isIdle = false
        while true {
            let waiting = state.withLock { state in
                if isIdle, state.waiting.isEmpty { state.hasThread = false }
                defer { state.waiting = [] }
                return state.waiting
            }
            if isIdle, waiting.isEmpty { return }
            for work in waiting {
                work()
                state.withLock { $0.pendingCount -= 1 }
            }
            isIdle = arrivals.wait(timeout: idleTime.map { .now() + $0 / .seconds(1) } ?? .distantFuture) == .timedOut
        }
    }
}
