import Synchronization
package import XCallbackEventLoop
package import XCallbackJSON
package import XCallbackVarlink

/// The calls of `Explain` and `Routes`, which take long with many routes; it lives on the event loop.
///
/// They run beside the loop: one for each user, and few for all users. The others wait in line, and users take turns. One
/// whose client leaves is cancelled, and one that waits holds nothing but what was asked. One that gets no thread is
/// refused in time.
package final class Inspections {
    /// What an inspection does once it is its turn; it checks `Task.isCancelled` from time to time.
    package typealias Work = @Sendable () -> Result<JSONValue, VarlinkError>

    /// How many run at a time.
    private static let runningLimit = 2
    /// How long one whose turn has come waits for a thread.
    private static let patience = Duration.seconds(5)

    private struct Inspection {
        let connection: ConnectionID
        let account: Account
        /// Called on the loop when its turn comes, so that what it holds is held no longer than it runs.
        let prepare: () -> Work
        let reply: (Result<JSONValue, VarlinkError>) -> Void
        var task: Task<Void, Never>?
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
    ///   - account: Whose it is.
    ///   - loop: The loop.
    ///   - prepare: Gathers what it needs; called on the loop.
    ///   - reply: Takes its result on the loop, unless it is cancelled before.
    /// - Throws: ``Excess`` if the account has too many.
    package func add(
        for connection: ConnectionID, of account: Account, on loop: isolated EventLoop,
        _ prepare: @escaping () -> Work,
        reply: @escaping (Result<JSONValue, VarlinkError>) -> Void
    ) throws(Excess) {
        try account.take(.inspections)
        waiting.append(Inspection(connection: connection, account: account, prepare: prepare, reply: reply))
        startNext(on: loop)
    }

    /// Ends the inspection of a connection, if it has one, without a reply.
    package func cancel(_ connection: ConnectionID) {
        if let index = waiting.firstIndex(where: { $0.connection == connection }) {
            waiting.remove(at: index).account.give(.inspections)
        }
        // It makes room when it has ended.
        running.first { $0.connection == connection }?.task?.cancel()
    }

    private func startNext(on loop: isolated EventLoop) {
        while running.count < Self.runningLimit,
            let index = waiting.firstIndex(where: { next in !running.contains { $0.account === next.account } })
        {
            var next = waiting.remove(at: index)
            let chance = InspectionChance(next.prepare())
            let (outcomes, outcome) = AsyncStream<Result<JSONValue, VarlinkError>>.makeStream()
            let task = Task(executorPreference: InspectionExecutor.shared) {
                if let work = chance.take() { outcome.yield(work()) }
            }
            let timer = loop.call(after: Self.patience) {
                if chance.take() != nil { outcome.yield(.failure(.noThread)) }
            }
            next.task = task
            running.append(next)
            Task.immediate(executorPreference: loop.executor) { [next] in
                for await result in outcomes.prefix(1) {
                    loop.cancel(timer)
                    running.removeAll { $0.connection == next.connection }
                    next.account.give(.inspections)
                    // The other users have their turns first.
                    waiting =
                        waiting.filter { $0.account !== next.account }
                        + waiting.filter { $0.account === next.account }
                    if !task.isCancelled { next.reply(result) }
                    startNext(on: loop)
                }
            }
        }
    }
}

/// The only chance of an inspection to run: a thread takes it, or who gives the inspection up.
private final class InspectionChance: Sendable {
    private let work: Mutex<Inspections.Work?>

    init(_ work: @escaping Inspections.Work) {
        self.work = Mutex(work)
    }

    /// Takes what it does; nil if that was taken before.
    func take() -> Inspections.Work? { work.withLock { $0.take() } }
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
    /// The system gives no thread to work the reply out with.
    static let noThread = VarlinkError("\(RouterInterface.name).NoThread")

    /// A message has more bytes than one may have.
    init(messageOver limit: Int) {
        self.init("message", over: limit, "The message has more than \(limit) bytes (limits: message).")
    }

    /// A URL that is asked about has more bytes than one may have.
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

    /// An account has as much of something as it may have.
    init(_ excess: Excess) {
        self.init(
            "\(RouterInterface.name).LimitReached",
            [
                .init("name", .string(excess.resource.setting)), .init("used", .whole(excess.used)),
                .init("limit", .whole(excess.limit)), .init("message", .string(excess.description)),
            ])
    }
}
