import Glibc
import Logging
import TestSupport
import Testing
import XCallbackLinux
import XCallbackTesting

@testable import XCallbackDaemon

/// Each test is a process of its own, because the environment is shared by all of a process.
struct ServiceManagerTests {
    typealias Call = @Sendable (ServiceManager) throws -> Void

    static let messages: [(String, Call)] = [
        ("READY=1", { try $0.notifyReady() }),
        ("READY=1\nSTATUS=12 routes", { try $0.notifyReady(status: "12 routes") }),
        ("STATUS=3 connections", { try $0.notifyStatus("3 connections") }),
        ("STATUS=", { try $0.notifyStatus("") }),
        ("STATUS=a b  c d e\u{e9}", { try $0.notifyStatus("a\nb\r\nc\0d\u{85}e\u{e9}") }),
        ("STOPPING=1", { try $0.notifyStopping() }),
        ("STOPPING=1\nSTATUS=READY=0 2 left", { try $0.notifyStopping(status: "READY=0\n2 left") }),
        ("WATCHDOG=1", { try $0.notifyWatchdog() }),
        ("EXTEND_TIMEOUT_USEC=1500000", { try $0.extendTimeout(by: .milliseconds(1_500)) }),
        ("EXTEND_TIMEOUT_USEC=1", { try $0.extendTimeout(by: .nanoseconds(1)) }),
        ("EXTEND_TIMEOUT_USEC=0", { try $0.extendTimeout(by: .seconds(-1)) }),
        ("EXTEND_TIMEOUT_USEC=315360000000000000", { try $0.extendTimeout(by: .seconds(Int64.max)) }),
    ]

    static let unreachable: [(String, Int32)] = [
        ("/nowhere/at/all", ENOENT), ("@xcallbackd-test-nobody", ECONNREFUSED),
    ]

    static let watchdogs: [(microseconds: String?, process: String?, interval: Int?)] = [
        ("3000000", nil, 3_000_000), ("3000000", "own", 3_000_000), ("1", "own", 1), ("3000000", "1", nil),
        (nil, nil, nil), (nil, "own", nil), ("0", nil, nil), ("soon", nil, nil), ("18446744073709551614", nil, nil),
    ]

    @Test(.timeLimit(.minutes(10)), arguments: TestAddress.allCases)
    func eachCallSendsItsMessage(address: TestAddress) async {
        await #expect(processExitsWith: .success) { [address] in
            let fake = try FakeServiceManager(address: address.make())
            setenv("NOTIFY_SOCKET", fake.address, 1)
            let manager = ServiceManager()
            #expect(manager.isPresent)
            for (message, call) in ServiceManagerTests.messages {
                try call(manager)
                expect(try fake.receive(), equals: message)
            }
            expect(fake.receiveNow(), equals: nil)
        }
    }

    @Test(.timeLimit(.minutes(10)))
    func aReloadReportsTheMonotonicTime() async {
        await #expect(processExitsWith: .success) {
            let fake = try FakeServiceManager(address: TestAddress.path.make())
            setenv("NOTIFY_SOCKET", fake.address, 1)
            let before = ServiceManagerTests.monotonicMicroseconds()
            try ServiceManager().notifyReloading(status: "reading")
            let lines = try fake.receive().split(separator: "\n").map(String.init)
            try #require(lines.count == 3)
            expect(lines[0], equals: "RELOADING=1")
            expect(lines[1]) { $0.hasPrefix("MONOTONIC_USEC=") }
            let time = try #require(Int(lines[1].dropFirst("MONOTONIC_USEC=".count)))
            #expect((before...ServiceManagerTests.monotonicMicroseconds()).contains(time))
            expect(lines[2], equals: "STATUS=reading")
        }
    }

    @Test(.timeLimit(.minutes(10)))
    func aLongStatusIsCutBetweenCharacters() async {
        await #expect(processExitsWith: .success) {
            let fake = try FakeServiceManager(address: TestAddress.path.make())
            setenv("NOTIFY_SOCKET", fake.address, 1)
            try ServiceManager().notifyStatus("a" + String(repeating: "ß", count: 4_000))
            expect(try fake.receive(), equals: "STATUS=a" + String(repeating: "ß", count: 1_023))
        }
    }

    @Test(.timeLimit(.minutes(10)))
    func withoutAManagerNothingHappens() async {
        await #expect(processExitsWith: .success) {
            unsetenv("NOTIFY_SOCKET")
            let manager = ServiceManager()
            #expect(!manager.isPresent)
            for (_, call) in ServiceManagerTests.messages { try call(manager) }
            try manager.notifyReloading()
        }
    }

    @Test(.timeLimit(.minutes(10)), arguments: unreachable)
    func aManagerThatCannotBeReachedIsAnError(address: String, code: Int32) async {
        await #expect(processExitsWith: .success) { [address, code] in
            setenv("NOTIFY_SOCKET", address, 1)
            let manager = ServiceManager()
            #expect(manager.isPresent)
            let error = try #require(throws: SystemError.self) { try manager.notifyReady() }
            expect(error.call) { $0.contains("'\(address)'") }
            expect(error.code, equals: code)
        }
    }

    @Test(.timeLimit(.minutes(10)), arguments: watchdogs)
    func theWatchdogIsThatOfThisProcess(microseconds: String?, process: String?, interval: Int?) async {
        await #expect(processExitsWith: .success) { [microseconds, process, interval] in
            for name in ["NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"] { unsetenv(name) }
            if let microseconds { setenv("WATCHDOG_USEC", microseconds, 1) }
            if let process { setenv("WATCHDOG_PID", process == "own" ? "\(getpid())" : process, 1) }
            let manager = ServiceManager()
            expect(manager.watchdogInterval, equals: interval.map { Duration.microseconds($0) })
            let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            let announcer = Announcer(Notifier(manager, logger: logger), ServiceLog(logger))
            expect(announcer.watchdogPause, equals: interval.map { max(.microseconds($0) / 2, .milliseconds(1)) })
        }
    }

    static func monotonicMicroseconds() -> Int {
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        return now.tv_sec * 1_000_000 + now.tv_nsec / 1_000
    }
}
