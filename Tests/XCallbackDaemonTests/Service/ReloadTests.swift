import Dispatch
import Logging
import Synchronization
import Testing
import XCallbackBuiltIns
import XCallbackConfiguration
import XCallbackTesting

/// What becomes of requests, and of signals, while a configuration is loaded.
@Suite(.timeLimit(.minutes(10)))
struct ReloadTests {
    @Test func aRequestThatWaitsKeepsItsPipelineAndTheNextOneHasTheOther() async throws {
        let loads = Loads()
        let daemon = try await TestDaemon { () throws(ConfigurationError) in try loads.load() }
        let client = try daemon.connect()
        try await client.send("app:/wait-and-go-on?name=a\napp:/now?name=b\napp:/new\n")
        await daemon.events.wait(for: "a begins")
        await daemon.reload()
        let other = try daemon.connect()
        loads.letOneEnd()
        try await waitForReload(other)
        daemon.gate.open("a")
        #expect(try await client.readLine() == success("then"))
        #expect(try await client.readLine()?.hasPrefix(failure(404)) == true)
        #expect(try await client.readLine() == newAnswer)
    }

    @Test func requestsAreAnsweredWhileAConfigurationIsLoaded() async throws {
        let loads = Loads()
        let daemon = try await TestDaemon { () throws(ConfigurationError) in try loads.load() }
        let client = try daemon.connect()
        await daemon.reload()
        await loads.events.wait(for: "load 1 begins")
        #expect(try await client.ask("app:/now?name=a") == success("a"))
        loads.letOneEnd()
        try await waitForReload(client)
    }

    @Test func signalsDuringALoadLeadToOneMore() async throws {
        let loads = Loads()
        let daemon = try await TestDaemon { () throws(ConfigurationError) in try loads.load() }
        for _ in 0..<3 { await daemon.reload() }
        await loads.events.wait(for: "load 1 begins")
        for _ in 0..<3 { await daemon.reload() }
        loads.letOneEnd()
        await loads.events.wait(for: "load 2 begins")
        loads.letOneEnd()
        await loads.events.wait(for: "load 2 ends")
        await daemon.reload()
        await loads.events.wait(for: "load 3 begins")
        #expect(
            loads.events.all == [
                "load 1 begins", "load 1 ends", "load 2 begins", "load 2 ends", "load 3 begins",
            ])
        loads.letOneEnd()
    }

    @Test func aStopDuringALoadIsClean() async throws {
        let loads = Loads()
        let daemon = try await TestDaemon { () throws(ConfigurationError) in try loads.load() }
        let client = try daemon.connect()
        try await client.send("app:/wait?name=a\n")
        await daemon.events.wait(for: "a begins")
        await daemon.reload()
        await daemon.reload()
        await loads.events.wait(for: "load 1 begins")
        await daemon.terminate()
        loads.letOneEnd()
        await loads.events.wait(for: "load 1 ends")
        daemon.gate.open("a")
        #expect(try await client.readToEnd() == [success("a")])
        await daemon.events.wait(for: "stopped")
        #expect(loads.events.all == ["load 1 begins", "load 1 ends"])
    }

    @Test func aLoadThatEndsAfterTheStopIsNoHarm() async throws {
        let loads = Loads()
        let daemon = try await TestDaemon { () throws(ConfigurationError) in try loads.load() }
        await daemon.reload()
        await loads.events.wait(for: "load 1 begins")
        await daemon.terminate()
        await daemon.events.wait(for: "stopped")
        loads.letOneEnd()
        await loads.events.wait(for: "load 1 ends")
    }

    @Test func faultsAreToldAndNothingElseChanges() async throws {
        let daemon = try await TestDaemon { () throws(ConfigurationError) in
            try RouterConfiguration(text: "schemes: [app]\nroute: []\n", name: "c", logger: Loads.logger)
        }
        let client = try daemon.connect()
        await daemon.reload()
        await daemon.events.wait(for: "faults are told")
        #expect(try await client.ask("app:/now?name=a") == success("a"))
        #expect(try await client.ask("app:/new")?.hasPrefix(failure(404)) == true)
    }

    /// Asks until the new configuration answers.
    private func waitForReload(_ client: TestClient) async throws {
        repeat { try Task.checkCancellation() } while try await client.ask("app:/new") != newAnswer
    }

    private var newAnswer: String { "xcallback://x-callback-url/success?new=1" }
}

/// Loads of a configuration that end when a test lets them.
private final class Loads: Sendable {
    static let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    let events = EventLog()
    private let count = Atomic<Int>(0)
    private let permits = DispatchSemaphore(value: 0)

    func letOneEnd() { permits.signal() }

    func load() throws(ConfigurationError) -> RouterConfiguration {
        let number = count.wrappingAdd(1, ordering: .relaxed).newValue
        events.add("load \(number) begins")
        permits.wait()
        defer { events.add("load \(number) ends") }
        let text = "schemes: [app]\nroutes: [{ route: 'app:/new', respond: { new: '1' } }]\n"
        return try RouterConfiguration(text: text, name: "c", logger: Self.logger)
    }
}
