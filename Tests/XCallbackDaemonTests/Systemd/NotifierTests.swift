import Glibc
import Logging
import TestSupport
import Testing
import XCallbackDaemon
import XCallbackLinux
import XCallbackTesting

/// Each test is a process of its own, because the environment is shared by all of a process.
struct NotifierTests {
    @Test(.timeLimit(.minutes(10)))
    func aManagerThatDoesNotReadKeepsNobodyWaiting() async {
        await #expect(processExitsWith: .success) {
            let fake = try FakeServiceManager(address: TestAddress.path.make())
            setenv("NOTIFY_SOCKET", fake.address, 1)
            let notifier = Notifier(ServiceManager(), logger: NotifierTests.silent)
            let queueLength = try #require(
                Int(try textOfFile("/proc/sys/net/unix/max_dgram_qlen").filter(\.isNumber)))
            // More than the queue of the socket takes; a call that waited would wait for ever.
            let count = queueLength + 40
            for number in 0..<count {
                notifier.notify { manager throws(SystemError) in try manager.notifyStatus("\(number)") }
            }
            for _ in 0..<1000 {
                notifier.notify(.sign) { manager throws(SystemError) in try manager.notifyWatchdog() }
            }
            notifier.finish(within: .milliseconds(100))
            for number in 0..<min(count, 64) { expect(try fake.receive(), equals: "STATUS=\(number)") }
        }
    }

    @Test(.timeLimit(.minutes(10)))
    func aManagerThatIsLostIsLoggedOnceEachTime() async {
        await #expect(processExitsWith: .success) {
            let address = TestAddress.path.make()
            setenv("NOTIFY_SOCKET", address, 1)
            let pipe = try Pipe()
            let output = LineOutput(descriptor: pipe.writing, format: .journal)
            let logger = Logger(label: "test") { _ in StandardErrorLogHandler(output: output) }
            let notifier = Notifier(ServiceManager(), logger: logger)
            func notify() {
                notifier.notify { manager throws(SystemError) in try manager.notifyReady() }
                notifier.finish(within: .seconds(60))
            }
            let line =
                "<4>cannot notify the service manager error=\"cannot reach the service manager at "
                + "'\(address)': No such file or directory\"\n"
            for _ in 0..<3 { notify() }
            expect(pipe.drain(), equals: line)
            do {
                let fake = try FakeServiceManager(address: address)
                notify()
                expect(try fake.receive(), equals: "READY=1")
            }
            notify()
            expect(pipe.drain(), equals: line)
        }
    }

    private static var silent: Logger { Logger(label: "test") { _ in SwiftLogNoOpLogHandler() } }
}
