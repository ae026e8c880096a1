import CLinux
import Dispatch
import Glibc
import Synchronization
import XCallbackLinux

/// Runs an actor's jobs on the event loop's serial queue.
///
/// Jobs wait in a list and an eventfd in the loop's epoll set announces them, so that a job is taken at once while the
/// loop waits for events, and wakes the loop when it does not.
///
/// A task that begins on the loop names this executor as its preference too. A continuation otherwise goes on in the
/// pool of threads that all tasks share before it comes back here, and waits while that pool is busy. Such a task begins
/// with the next events, even as `Task.immediate`: the runtime has it change to the executor that it prefers.
package final class QueueExecutor: SerialExecutor, TaskExecutor {
    /// How often jobs are run that others have added, when the process is about to end.
    private static let lastRounds = 64

    /// The queue on which everything runs.
    private let queue: DispatchQueue
    /// The thread that runs something on the queue; 0 if none does.
    private let thread = Atomic<UInt>(0)
    /// The descriptor that becomes readable when jobs wait.
    let announcements: Descriptor
    private let posts = Mutex(Posts())

    private struct Posts {
        var jobs: [UnownedJob] = []
        /// Whether the loop hears of announcements.
        var isWatched = false
    }

    init(label: String) throws(SystemError) {
        queue = DispatchQueue(label: label, qos: .default)
        announcements = Descriptor(
            try SystemError.check("eventfd") { xcb_counter(Int32(EFD_NONBLOCK | EFD_CLOEXEC)) })
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let (isFirst, isWatched) = posts.withLock { posts in
            posts.jobs.append(job)
            return (posts.jobs.count == 1, posts.isWatched)
        }
        guard isFirst else { return }
        guard isWatched else { return async { self.runJobs() } }
        // It cannot fail: the counter is far from its limit, and a signal does not interrupt a non-blocking write.
        var count: eventfd_t = 1
        _ = xcb_write(announcements.number, &count, MemoryLayout<eventfd_t>.size)
    }

    package func checkIsolated() {
        dispatchPrecondition(condition: .onQueue(queue))
    }

    /// Whether the caller runs on the queue; without it the runtime does not see that a Dispatch handler does.
    package func isIsolatingCurrentContext() -> Bool? {
        thread.load(ordering: .relaxed) == pthread_self()
    }

    /// Has something done on the queue.
    func async(_ body: @escaping @Sendable () -> Void) {
        queue.async { @Sendable in self.note(body) }
    }

    /// Does something on the queue in this thread.
    func sync<Result>(_ body: () throws -> Result) rethrows -> Result {
        try queue.sync { try note(body) }
    }

    /// Runs something on the queue, and notes which thread does.
    ///
    /// A value of the queue itself (`setSpecific`) would have Dispatch wait for a thread when the queue is freed.
    private func note<Result>(_ body: () throws -> Result) rethrows -> Result {
        thread.store(pthread_self(), ordering: .relaxed)
        defer { thread.store(0, ordering: .relaxed) }
        return try body()
    }

    /// Runs the jobs that wait; called on the queue.
    ///
    /// Those that they add are announced anew, so that jobs without end do not keep the loop from everything else.
    func runJobs() {
        var count: eventfd_t = 0
        _ = xcb_read(announcements.number, &count, MemoryLayout<eventfd_t>.size)
        let waiting = posts.withLock { posts in
            defer { posts.jobs.removeAll(keepingCapacity: true) }
            return posts.jobs
        }
        for job in waiting {
            job.runSynchronously(isolatedTo: asUnownedSerialExecutor(), taskExecutor: asUnownedTaskExecutor())
        }
    }

    /// Lets jobs wait for the loop.
    func expectWatch() { posts.withLock { $0.isWatched = true } }

    /// Lets the loop run the jobs from now on; called when it begins to work.
    func beginWatch() {
        expectWatch()
        runJobs()
    }

    /// Runs the jobs that wait and those that they add, and none after that; called when the loop has ended, and its
    /// process is about to.
    func runLastJobs() {
        for _ in 0..<Self.lastRounds where posts.withLock({ !$0.jobs.isEmpty }) { runJobs() }
    }

    /// Lets the queue itself run the jobs that wait, and all that follow; called when the loop has ended.
    func endWatch() {
        posts.withLock { $0.isWatched = false }
        runJobs()
    }
}
