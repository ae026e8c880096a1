import Dispatch
import Glibc
import Synchronization
package import Testing

/// Runs tests that wait in system calls on separate threads.
///
/// All tasks share as many threads as there are processors, and a test that holds one keeps another from running. The trait is
/// not for asynchronous tests: their continuations would queue behind tests that have not started.
package struct BlockingTrait: TestTrait, SuiteTrait, TestScoping {
    package var isRecursive: Bool { true }

    package func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        try await withTaskExecutorPreference(BlockingThreads.shared) { try await function() }
    }
}

extension Trait where Self == BlockingTrait {
    /// The test waits in system calls.
    package static var blocking: Self { Self() }
}

/// Four times as many threads as processors, because most of them wait; jobs run in order.
private final class BlockingThreads: TaskExecutor {
    static let shared = BlockingThreads(count: min(4 * max(sysconf(Int32(_SC_NPROCESSORS_ONLN)), 2), 64))

    private let jobs = Mutex<[UnownedJob]>([])
    private let waiting = DispatchSemaphore(value: 0)

    private init(count: Int) {
        for number in 0..<count {
            DispatchQueue(label: "BlockingThreads.\(number)").async { @Sendable in
                while true {
                    self.waiting.wait()
                    let job = self.jobs.withLock { $0.removeFirst() }
                    job.runSynchronously(on: self.asUnownedTaskExecutor())
                }
            }
        }
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.withLock { $0.append(job) }
        waiting.signal()
    }
}
