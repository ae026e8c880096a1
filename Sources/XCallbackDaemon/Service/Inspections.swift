package import XCallbackEventLoop
package import XCallbackJSON
package import XCallbackVarlink

/// The calls of `Explain` and `Routes`, which take long with many routes; it lives on the event loop.
///
/// They run beside the loop: one for each user, and few for all users. The others wait in line, and users take turns. One
/// whose client leaves is cancelled, and one that waits holds nothing but what was asked.
package final class Inspections {
    /// What an inspection does once it is its turn; it checks `Task.isCancelled` from time to time.
    package typealias Work = @Sendable () -> Result<JSONValue, VarlinkError>

    /// How many run at a time.
    private static let runningLimit = 2
    /// How many of the user of the daemon, and of root, may wait in line.
    private static let ownQueueLimit = 16
    /// How many of another user may.
    private static let queueLimit = 4

    private struct Inspection {
        let connection: ConnectionID
        let userID: UInt32
        /// Called on the loop when its turn comes, so that what it holds is held no longer than it runs.
        let prepare: () -> Work
        let reply: (Result<JSONValue, VarlinkError>) -> Void
        var task: Task<Result<JSONValue, VarlinkError>, Never>?
    }

    /// In the order of their turns.
    private var waiting: [Inspection] = []
    private var running: [Inspection] = []

    /// Creates a line in which nothing waits.
    package init() {}

    /// Lets an inspection run when its turn comes.
    ///
    /// - Parameters:
    ///   - connection: The connection whose call it is; a connection has one call at a time.
    ///   - userID: The client's user.
    ///   - isPrivileged: Whether that is the user of the daemon or root.
    ///   - loop: The loop.
    ///   - prepare: Gathers what it needs; called on the loop.
    ///   - reply: Takes its result on the loop, unless it is cancelled before.
    /// - Throws: ``VarlinkError`` if too many of the user wait.
    package func add(
        for connection: ConnectionID, of userID: UInt32, isPrivileged: Bool, on loop: isolated EventLoop,
        _ prepare: @escaping () -> Work,
        reply: @escaping (Result<JSONValue, VarlinkError>) -> Void
    ) throws(VarlinkError) {
        waiting.append(Inspection(connection: connection, userID: userID, prepare: prepare, reply: reply))
        startNext(on: loop)
        let limit = isPrivileged ? Self.ownQueueLimit : Self.queueLimit
        guard waiting.count(where: { $0.userID == userID }) > limit else { return }
        waiting.removeAll { $0.connection == connection }
        throw .limitReached("inspections", limit: limit)
    }

    /// Ends the inspection of a connection, if it has one, without a reply.
    package func cancel(_ connection: ConnectionID) {
        waiting.removeAll { $0.connection == connection }
        // It makes room when it has ended.
        running.first { $0.connection == connection }?.task?.cancel()
    }

    private func startNext(on loop: isolated EventLoop) {
        while running.count < Self.runningLimit,
            let index = waiting.firstIndex(where: { next in !running.contains { $0.userID == next.userID } })
        {
            var next = waiting.remove(at: index)
            let task = Self.task(next.prepare())
            next.task = task
            running.append(next)
            Task.immediate(executorPreference: loop.executor) { [next] in
                let result = await task.value
                running.removeAll { $0.connection == next.connection }
                // The other users have their turns first.
                waiting = waiting.filter { $0.userID != next.userID } + waiting.filter { $0.userID == next.userID }
                if !task.isCancelled { next.reply(result) }
                startNext(on: loop)
            }
        }
    }

    private static func task(_ work: @escaping Work) -> Task<Result<JSONValue, VarlinkError>, Never> {
        Task(executorPreference: InspectionExecutor.shared) { work() }
    }
}

/// Runs inspections beside the loop, and beside the threads that tasks share.
///
/// Each has a serial queue, which has a thread of its own: the others Dispatch looks after every second.
private final class InspectionExecutor: TaskExecutor {
    static let shared = InspectionExecutor()

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        WorkQueue(label: "xcallbackd.inspection", isUrgent: false).async {
            job.runSynchronously(on: self.asUnownedTaskExecutor())
        }
    }
}

extension VarlinkError {
    /// The caller's user has as much of something as it may have.
    fileprivate static func limitReached(_ name: String, limit: Int) -> VarlinkError {
        VarlinkError(
            "\(RouterInterface.name).LimitReached", [.init("name", .string(name)), .init("limit", .whole(limit))])
    }
}
