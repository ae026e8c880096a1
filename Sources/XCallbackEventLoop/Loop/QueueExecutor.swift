import CLinux
import Dispatch
import Glibc
import Synchronization
import XCallbackLinux

/// Runs an actor's jobs on the event loop's serial queue.
///
/// Jobs wait in a list, and an eventfd in the loop's epoll set announces them, so that a job wakes the loop if it waits for
/// events, and otherwise runs soon.
///
/// A task that starts on the loop must also name this executor as its preference. Otherwise its continuations pass through
/// the shared thread pool before they return here, and wait while that pool is busy. Such a task starts with the next
/// events, even with `Task.immediate`: the runtime makes it change to its preferred executor.
package final class QueueExecutor: SerialExecutor, TaskExecutor {
    /// The maximum number of rounds of newly added jobs when the process is about to end.
    private static let lastRounds = 64

    /// The queue.
    private let queue: DispatchQueue
    /// The thread that runs code on the queue; 0 if there is none.
    private let thread = Atomic<UInt>(0)
    /// The descriptor that becomes readable when jobs wait.
    let announcements: Descriptor
    private let posts = Mutex(Posts())

    private struct Posts {
        var jobs: [UnownedJob] = []
        /// Whether the loop handles announcements.
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
        // Cannot fail: the counter is far from its limit, and a signal cannot interrupt a non-blocking write.
        var count: eventfd_t = 1
        _ = xcb_write(announcements.number, &count, MemoryLayout<eventfd_t>.size)
    }

    package func checkIsolated() {
        dispatchPrecondition(condition: .onQueue(queue))
    }

    /// Whether the caller runs on the queue; without this, the runtime does not recognize a Dispatch handler on the queue.
    package func isIsolatingCurrentContext() -> Bool? {
        thread.load(ordering: .relaxed) == pthread_self()
    }

    /// Runs a function on the queue.
    func async(_ body: @escaping @Sendable () -> Void) {
        queue.async { @Sendable in self.note(body) }
    }

    /// Runs a function on the queue in this thread, and waits.
    func sync<Result>(_ body: () throws -> Result) rethrows -> Result {
        try queue.sync { try note(body) }
    }

    /// Runs a function on the queue, and records its thread.
    ///
    /// A queue-specific value (`setSpecific`) would make Dispatch wait for a thread when the queue is freed.
    private func note<Result>(_ body: () throws -> Result) rethrows -> Result {
        thread.store(pthread_self(), ordering: .relaxed)
        defer { thread.store(0, ordering: .relaxed) }
        return try body()
    }

    /// Runs the waiting jobs; called on the queue.
    ///
    /// Jobs that they add are announced again, so that an endless chain of jobs does not block the loop.
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

    /// Makes jobs wait for the loop.
    func expectWatch() { posts.withLock { $0.isWatched = true } }

    /// Makes the loop run the jobs from now on; called when it starts to work.
    func beginWatch() {
        expectWatch()
        runJobs()
    }

    /// Runs the waiting jobs and those that they add, and none after that; called when the loop has ended and the
    /// process is about to end.
    func runLastJobs() {
        for _ in 0..<Self.lastRounds where posts.withLock({ !$0.jobs.isEmpty }) { runJobs() }
    }

    /// Makes the queue itself run the waiting jobs and all later ones; called when the loop has ended.
    func endWatch() {
        posts.withLock { $0.isWatched = false }
        runJobs()
    }
}
