import Dispatch
import Synchronization

/// Runs tasks on the thread that waits for them, so that a sequential command needs no other thread.
final class CallingThread: TaskExecutor {
    private let jobs = Mutex<[UnownedJob]>([])
    private let isThereMore = DispatchSemaphore(value: 0)

    private init() {}

    /// Runs an async function, with its tasks, on this thread.
    ///
    /// - Throws: The error of the function.
    static func run(_ body: @escaping @Sendable () async throws -> Void) throws {
        let thread = CallingThread()
        let end = Mutex<Result<Void, any Error>?>(nil)
        Task(executorPreference: thread) {
            do {
                try await body()
                end.withLock { $0 = .success(()) }
            } catch {
                end.withLock { $0 = .failure(error) }
            }
        }
        while true {
            if let end = end.withLock({ $0 }) { return try end.get() }
            thread.isThereMore.wait()
            let job = thread.jobs.withLock { $0.removeFirst() }
            job.runSynchronously(on: thread.asUnownedTaskExecutor())
        }
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.withLock { $0.append(job) }
        isThereMore.signal()
    }
}
