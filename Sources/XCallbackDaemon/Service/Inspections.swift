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
    /// The work of an inspection; it checks `Task.isCancelled` from time to time.
    package typealias Work = @Sendable () -> Result<JSONValue, VarlinkError>

    private struct Inspection {
        let connection: ConnectionID
        let owner: Owner
        /// Called on the loop when the turn comes, so that its data is held only while it runs.
        let prepare: () -> Work
        let reply: (Result<JSONValue, VarlinkError>) -> Void
    }

    private var queue = OwnerQueue<Inspection>(limit: 2, ofEachOwner: 1)
    private var tasks: [ConnectionID: Task<Result<JSONValue, VarlinkError>, Never>] = [:]

    /// Creates an empty queue.
    package init() {}

    /// Queues an inspection.
    ///
    /// - Parameters:
    ///   - connection: The connection that made the call; a connection has one call at a time.
    ///   - owner: The owner of the caller's account.
    ///   - loop: The loop.
    ///   - prepare: Collects the data for the inspection; called on the loop.
    ///   - reply: Receives the result on the loop, unless the inspection is cancelled before.
    package func add(
        for connection: ConnectionID, of owner: Owner, on loop: isolated EventLoop,
        _ prepare: @escaping () -> Work,
        reply: @escaping (Result<JSONValue, VarlinkError>) -> Void
    ) {
        queue.add(Inspection(connection: connection, owner: owner, prepare: prepare, reply: reply), of: owner)
        startNext(on: loop)
    }

    /// Cancels the inspection of a connection, if any, without a reply.
    package func cancel(_ connection: ConnectionID) {
        queue.remove { $0.connection == connection }
        // A running inspection frees its slot when it ends.
        tasks[connection]?.cancel()
    }

    private func startNext(on loop: isolated EventLoop) {
        while let next = queue.next() {
            let (work, executor) = (next.prepare(), InspectionExecutor())
            let task = Task(executorPreference: executor) {
                executor.lacksThread.load(ordering: .relaxed) ? .failure(.noThread) : work()
            }
            tasks[next.connection] = task
            Task.immediate(executorPreference: loop.executor) {
                let result = await task.value
                tasks[next.connection] = nil
                queue.end(of: next.owner)
                if !task.isCancelled { next.reply(result) }
                startNext(on: loop)
            }
        }
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

extension VarlinkError {
    /// The system has no thread for the reply.
    static let noThread = VarlinkError("\(RouterInterface.name).NoThread")

    /// A message exceeds the size limit, in bytes.
    init(messageOver limit: Int) {
        self.init("message", over: limit, "The message has more than \(limit) bytes (limits: message).")
    }

    /// The given URL exceeds the size limit, in bytes.
    init(urlOver limit: Int) {
        self.init("line", over: limit, "The URL is longer than \(limit) bytes (limits: line).")
    }

    private init(_ setting: String, over limit: Int, _ message: String) {
        self.init(
            "\(RouterInterface.name).LimitReached",
            [
                .init("name", .string(setting)), .init("used", .whole(limit + 1)), .init("limit", .whole(limit)),
                .init("message", .string(message)),
            ])
    }

    /// An account has reached a limit.
    init(_ excess: Excess) {
        self.init(
            "\(RouterInterface.name).LimitReached",
            [
                .init("name", .string(excess.resource.setting)), .init("used", .whole(excess.used)),
                .init("limit", .whole(excess.limit)), .init("message", .string(excess.description)),
            ])
    }
}
