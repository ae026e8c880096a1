import Dispatch
import Glibc
import Synchronization
package import Testing

/// Runs tests that wait in system calls on separate threads.
///
/// All tasks share as many threads as there are processors, and a test that holds one keeps another from running. A test starts
/// when another has ended, so that the continuations of those that run do not queue behind tests that have not started. Its time
/// limit counts from then: the testing library's own begins with the whole run, so on a slow machine the last tests had none.
package struct BlockingTrait: TestTrait, SuiteTrait, TestScoping {
    fileprivate let minutes: Int

    package var isRecursive: Bool { true }

    package func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        // A test can have the trait once more from its suite.
        guard !BlockingThreads.hasTurn else { return try await function() }
        await BlockingThreads.shared.takeTurn()
        defer { BlockingThreads.shared.endTurn() }
        try await BlockingThreads.$hasTurn.withValue(true) {
            // This task runs on the threads of all tasks, which a test that waits does not hold.
            let limit = Task { [minutes] in
                try await Task.sleep(for: .seconds(60 * minutes))
                Issue.record("the test has run for \(minutes) minutes")
            }
            defer { limit.cancel() }
            try await withTaskExecutorPreference(BlockingThreads.shared) { try await function() }
        }
    }
}

extension Trait where Self == BlockingTrait {
    /// The test waits in system calls, for at most ten minutes.
    package static var blocking: Self { .blocking(minutes: 10) }

    /// The test waits in system calls for at most so many minutes: a longer one has failed, and is named while it still waits.
    package static func blocking(minutes: Int) -> Self { Self(minutes: minutes) }
}

/// Four times as many threads as processors, because most of them wait; jobs run in order.
private final class BlockingThreads: TaskExecutor {
    @TaskLocal static var hasTurn = false
    static let shared = BlockingThreads(count: min(4 * max(sysconf(Int32(_SC_NPROCESSORS_ONLN)), 2), 64))

    private let jobs = Mutex<[UnownedJob]>([])
    private let waiting = DispatchSemaphore(value: 0)
    /// As many tests as there are threads can start; the others wait in order.
    private let turns: Mutex<(free: Int, waiting: [CheckedContinuation<Void, Never>])>

    private init(count: Int) {
        turns = Mutex((count, []))
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

    func takeTurn() async {
        await withCheckedContinuation { continuation in
            let isFree = turns.withLock { turns in
                guard turns.free > 0 else {
                    turns.waiting.append(continuation)
                    return false
                }
                turns.free -= 1
                return true
            }
            if isFree { continuation.resume() }
        }
    }

    func endTurn() {
        let next: CheckedContinuation<Void, Never>? = turns.withLock { turns in
            guard turns.waiting.isEmpty else { return turns.waiting.removeFirst() }
            turns.free += 1
            return nil
        }
        next?.resume()
    }
}
