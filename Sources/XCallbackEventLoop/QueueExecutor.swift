import CLinux
package import Dispatch
import Glibc
import Synchronization

/// Runs an actor's jobs on the event loop's serial queue.
///
/// Jobs wait in a list and an eventfd in the loop's epoll set announces them, so that a job is taken at once while the
/// loop waits for events, and wakes the loop when it does not.
package final class QueueExecutor: SerialExecutor {
    private static let onQueue = DispatchSpecificKey<Bool>()

    /// The queue on which everything runs.
    package let queue: DispatchQueue
    /// The descriptor that becomes readable when jobs wait; closed by the loop.
    let announcements: Int32
    private let jobs = Mutex<[UnownedJob]>([])

    init(label: String) throws(SystemError) {
        queue = DispatchQueue(label: label, qos: .default)
        announcements = try SystemError.check("eventfd") { eventfd(0, Int32(EFD_NONBLOCK | EFD_CLOEXEC)) }
        queue.setSpecific(key: Self.onQueue, value: true)
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let isFirst = jobs.withLock { jobs in
            jobs.append(job)
            return jobs.count == 1
        }
        guard isFirst else { return }
        // It cannot fail: the counter is far from its limit, and a signal does not interrupt a non-blocking write.
        _ = eventfd_write(announcements, 1)
    }

    package func checkIsolated() {
        dispatchPrecondition(condition: .onQueue(queue))
    }

    /// Whether the caller runs on the queue; without it the runtime does not see that a Dispatch handler does.
    package func isIsolatingCurrentContext() -> Bool? {
        DispatchQueue.getSpecific(key: Self.onQueue) == true
    }

    /// Runs the jobs that wait, and those that they add; called on the queue.
    func runJobs() {
        var value: eventfd_t = 0
        _ = eventfd_read(announcements, &value)
        while true {
            let waiting = jobs.withLock { jobs in
                defer { jobs.removeAll(keepingCapacity: true) }
                return jobs
            }
            if waiting.isEmpty { return }
            for job in waiting { job.runSynchronously(on: asUnownedSerialExecutor()) }
        }
    }
}
