import Glibc
import Testing
import XCallbackSystemd

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
        ("relative", EAFNOSUPPORT), ("vsock:2:1234", EAFNOSUPPORT), ("@", EAFNOSUPPORT), ("/", EAFNOSUPPORT),
        ("/" + String(repeating: "a", count: 107), EAFNOSUPPORT),
        ("@" + String(repeating: "a", count: 108), EAFNOSUPPORT),
        ("/" + String(repeating: "a", count: 106), ENOENT), ("@" + String(repeating: "a", count: 107), ECONNREFUSED),
        ("/nowhere/at/all", ENOENT),
    ]

    @Test(.timeLimit(.minutes(1)), arguments: messages, TestAddress.allCases)
    func eachCallSendsItsMessage(row: (message: String, call: Call), address: TestAddress) throws {
        let fake = try FakeServiceManager(address: address.make())
        let manager = ServiceManager(address: fake.address)
        try row.call(manager)
        #expect(manager.isPresent)
        #expect(try fake.receive() == row.message)
        let isIdle = fake.isIdle
        #expect(isIdle)
    }

    @Test(.timeLimit(.minutes(1)))
    func aReloadTellsTheMonotonicTime() throws {
        let fake = try FakeServiceManager(address: TestAddress.path.make())
        let before = monotonicMicroseconds()
        try ServiceManager(address: fake.address).notifyReloading(status: "reading")
        let lines = try fake.receive().split(separator: "\n").map(String.init)
        try #require(lines.count == 3)
        #expect(lines[0] == "RELOADING=1")
        #expect(lines[1].hasPrefix("MONOTONIC_USEC="))
        let time = try #require(Int(lines[1].dropFirst("MONOTONIC_USEC=".count)))
        #expect((before...monotonicMicroseconds()).contains(time))
        #expect(lines[2] == "STATUS=reading")
    }

    @Test(.timeLimit(.minutes(1)))
    func aLongStatusIsCutBetweenCharacters() throws {
        let fake = try FakeServiceManager(address: TestAddress.path.make())
        try ServiceManager(address: fake.address).notifyStatus("a" + String(repeating: "ß", count: 4_000))
        #expect(try fake.receive() == "STATUS=a" + String(repeating: "ß", count: 1_023))
    }

    @Test(arguments: [nil, ""])
    func withoutAManagerNothingHappens(address: String?) throws {
        let manager = ServiceManager(address: address, watchdogInterval: nil)
        #expect(!manager.isPresent)
        for (_, call) in Self.messages { try call(manager) }
        try manager.notifyReloading()
    }

    @Test(arguments: unreachable)
    func aManagerThatCannotBeReachedIsAnError(address: String, code: Int32) throws {
        let manager = ServiceManager(address: address)
        #expect(manager.isPresent)
        let error = try #require(throws: ServiceManagerError.self) { try manager.notifyReady() }
        #expect(error.address == address)
        #expect(error.code == code)
    }

    @Test func anErrorNamesTheAddressAndTheReason() throws {
        let manager = ServiceManager(address: "/nowhere/at/all")
        let error = try #require(throws: ServiceManagerError.self) { try manager.notifyReady() }
        let reason = "No such file or directory"
        #expect("\(error)" == "cannot reach the service manager at '/nowhere/at/all': \(reason)")
    }

    @Test(.timeLimit(.minutes(1)))
    func aStatusDoesNotWaitForAManagerThatIsBehind() throws {
        let fake = try FakeServiceManager(address: TestAddress.path.make())
        let manager = ServiceManager(address: fake.address)
        let error = try #require(throws: ServiceManagerError.self) {
            for _ in 0..<100_000 { try manager.notifyStatus("busy") }
        }
        #expect(error.code == EAGAIN)
        let start = ContinuousClock.now
        #expect(throws: ServiceManagerError.self) { try manager.notifyWatchdog() }
        #expect(ContinuousClock.now - start < .seconds(1))
    }

    @Test(.timeLimit(.minutes(1)))
    func readinessWaitsTwoSecondsForAManagerThatIsBehind() throws {
        let fake = try FakeServiceManager(address: TestAddress.path.make())
        let manager = ServiceManager(address: fake.address)
        _ = #expect(throws: ServiceManagerError.self) {
            for _ in 0..<100_000 { try manager.notifyStatus("busy") }
        }
        let start = ContinuousClock.now
        let error = try #require(throws: ServiceManagerError.self) { try manager.notifyReady() }
        #expect(error.code == EAGAIN)
        #expect(ContinuousClock.now - start > .milliseconds(1_900))
    }

    private func monotonicMicroseconds() -> Int {
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        return now.tv_sec * 1_000_000 + now.tv_nsec / 1_000
    }
}
