import Glibc
import Synchronization
import Testing
import XCallbackEventLoop

struct WorkQueueTests {
    /// The loop reads the signals of the process, also if a queue has started its thread before the loop blocked them.
    @Test func theThreadOfAQueueHasSignalsBlocked() throws {
        let numbers = [SIGTERM, SIGINT, SIGHUP, SIGCHLD]
        var (none, before) = (sigset_t(), sigset_t())
        sigemptyset(&none)
        let queue = WorkQueue()
        let found = Mutex<[Bool]>([])
        pthread_sigmask(SIG_SETMASK, &none, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        queue.sync {
            var mask = sigset_t()
            pthread_sigmask(SIG_BLOCK, nil, &mask)
            found.withLock { $0 = numbers.map { sigismember(&mask, $0) == 1 } }
        }
        #expect(found.withLock { $0 } == [true, true, true, true])
    }
}
