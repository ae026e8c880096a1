import Synchronization
package import XCallbackEventLoop
import XCallbackLinux
package import XCallbackWire

/// Runs the calls of `Explain` and `Routes`, which are slow with many routes; lives on the event loop.
///
/// Inspections run outside the loop: one per owner, and two in total. The others queue, and owners take turns. If the
/// client disconnects, its inspection is cancelled. A queued inspection holds nothing but the parameters of its call. An
/// inspection for which there is no thread is rejected.
package final class Inspections {
    /// The work of an inspection, which makes a JSON object; it checks `Task.isCancelled` from time to time.
    package typealias Work = @Sendable () -> [UInt8]

    private let queue = OwnerQueue(limit: 2, ofEachOwner: 1)
    /// The inspections that wait or run, and are not cancelled.
    private var inspections: [ConnectionID: Inspection] = [:]

    private final class Inspection {
        /// Nil until its turn.
        var task: Task<[UInt8]?, Never>?
    }

    /// Creates an empty queue.
    package init() {}

    /// Queues an inspection.
    ///
    /// - Parameters:
    ///   - connection: The connection that made the call; a connection has one call at a time.
    ///   - owner: The owner of the caller's account.
    ///   - loop: The loop.
    ///   - prepare: Collects the data for the inspection; called on the loop when the turn comes, so that the data is held
    ///     only while it runs.
    ///   - reply: Receives the result on the loop, unless the inspection is cancelled before.
    package func add(
        for connection: ConnectionID, of owner: Owner, on loop: isolated EventLoop,
        _ prepare: @escaping () -> Work,
        reply: @escaping (Result<[UInt8], VarlinkError>) -> Void
    ) {
        let inspection = Inspection()
        inspections[connection] = inspection
        queue.add(for: connection, of: owner, on: loop) { [self] in
            // It can be cancelled between its turn and this moment.
            guard inspections[connection] === inspection else { return }
            let (work, executor) = (prepare(), InspectionExecutor())
            let task = Task(executorPreference: executor) {
                executor.lacksThread.load(ordering: .relaxed) ? nil : work()
            }
            inspection.task = task
            let result = await task.value
            // A task that has just ended cannot be cancelled anymore.
            guard inspections[connection] === inspection else { return }
            inspections[connection] = nil
            reply(result.map { .success($0) } ?? .failure(.noThread))
        }
    }

    /// Cancels the inspection of a connection, if any, without a reply.
    package func cancel(_ connection: ConnectionID) {
        queue.remove(connection)
        // A running inspection frees its slot when it ends.
        inspections.removeValue(forKey: connection)?.task?.cancel()
    }
}

/// Runs an inspection in a thread of its own, outside the loop and outside the thread pool that tasks share.
private final class InspectionExecutor: TaskExecutor {
    private let queue = WorkQueue()
    /// Whether the system has no thread: then the job runs in the caller's, and must end at once.
    let lacksThread = Atomic(false)

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        do throws(SystemError) {
            try queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
        } catch {
            lacksThread.store(true, ordering: .relaxed)
            job.runSynchronously(on: asUnownedTaskExecutor())
        }
    }
}
