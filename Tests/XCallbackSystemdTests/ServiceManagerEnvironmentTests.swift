import Glibc
import Testing
import XCallbackSystemd

/// Each test is a process of its own, because the environment is shared by all of a process.
struct ServiceManagerEnvironmentTests {
    @Test(.timeLimit(.minutes(1)))
    func theEnvironmentIsReadOnceAndTakenAway() async {
        await #expect(processExitsWith: .success) {
            let fake = try FakeServiceManager(address: TestAddress.path.make())
            setenv("NOTIFY_SOCKET", fake.address, 1)
            setenv("WATCHDOG_USEC", "3000000", 1)
            setenv("WATCHDOG_PID", "\(getpid())", 1)

            let manager = ServiceManager()
            #expect(manager.isPresent)
            #expect(manager.watchdogInterval == .seconds(3))
            for name in ["NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"] { #expect(getenv(name) == nil) }
            try manager.notifyReady()
            #expect(try fake.receive() == "READY=1")
            #expect(!ServiceManager().isPresent)
        }
    }

    @Test(.timeLimit(.minutes(1)))
    func theWatchdogOfAnotherProcessIsNoneOfOurs() async {
        await #expect(processExitsWith: .success) {
            unsetenv("NOTIFY_SOCKET")
            setenv("WATCHDOG_USEC", "3000000", 1)
            setenv("WATCHDOG_PID", "1", 1)

            let manager = ServiceManager()
            #expect(!manager.isPresent)
            #expect(manager.watchdogInterval == nil)
        }
    }
}
