import Glibc
import Testing
import XCallbackEventLoop
import XCallbackLinux
import XCallbackTesting

/// How a process is found by its number where the kernel has no handle to give.
struct PeerProcessTests {
    /// Whether a process is taken for one that has connected by a time.
    private static func isFound(_ id: Int32, startedBefore time: Int64) -> Bool {
        guard let process = PeerProcess(numbered: id, startedBefore: time) else { return false }
        return process.id == id && process.isRunning
    }

    @Test func aProcessIsFoundThatHasRunForLongEnough() {
        #expect(Self.isFound(getpid(), startedBefore: bootTime()))
    }

    @Test func aProcessThatHasStartedLaterIsAnotherOne() {
        #expect(!Self.isFound(getpid(), startedBefore: 1))
    }

    @Test(.timeLimit(.minutes(10)))
    func aProcessThatHasEndedIsNotFound() throws {
        let process = try ChildProcess(["/bin/sleep", "600"])
        #expect(Self.isFound(process.id, startedBefore: bootTime()))
        process.send(signal: SIGKILL)
        try process.wait()
        #expect(!Self.isFound(process.id, startedBefore: bootTime()))
    }
}
