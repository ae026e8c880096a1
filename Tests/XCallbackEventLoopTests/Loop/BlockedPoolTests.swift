import Dispatch
import Testing
import XCallbackEventLoop
import XCallbackTesting

/// What still goes on while no thread of the pool is free that all tasks share.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct BlockedPoolTests {
    @Test func aProgramRunsToItsEnd() throws {
        let loop = try EventLoop(label: "blocked")
        loop.start()
        let result = whilePoolIsBlocked { done in
            loop.begin { loop in
                let result = try? await loop.run(ChildCommand(["echo", "hello"]))
                done(result?.text)
            }
        }
        #expect(result == "hello\n")
    }

    @Test func aCancelledProgramEnds() throws {
        let loop = try EventLoop(label: "blocked")
        loop.start()
        let result = whilePoolIsBlocked { done in
            loop.begin { loop in
                let task = Task.immediate(executorPreference: loop.executor) {
                    let result = try? await loop.run(ChildCommand(["sleep", "600"]))
                    done(result.map { "\($0.ending)" } ?? "not started")
                }
                while loop.childCount == 0 { await Task.yield() }
                task.cancel()
            }
        }
        #expect(["killed(signal: 15)", "not started"].contains(result))
    }
}

extension EventLoop {
    /// Begins work on the loop's own queue, with no thread of the pool.
    fileprivate nonisolated func begin(_ body: @escaping @Sendable (isolated EventLoop) async -> Void) {
        _ = Task(executorPreference: executor) { await body(self) }
    }
}
