import Glibc
import TestSupport
import Testing
import XCallbackTesting

/// Threads, memory and wake-ups of a lightly loaded daemon, counted without a clock.
@Suite(.blocking)
struct ResourceUseTests {
    private let configuration = RunningDaemon.echoConfiguration

    @Test func manyRequestsTakeNoMoreMemoryThanSome() throws {
        let daemon = try RunningDaemon(configuration)
        let client = try daemon.connect()
        let lines = String(repeating: "notes:/echo?v=hello&x-success=app:/done\n", count: 500)
        func ask(rounds: Int) throws {
            for _ in 0..<rounds {
                try client.send(lines)
                for _ in 0..<500 { expect(try client.readLine(), equals: "app:/done?v=hello") }
            }
        }
        try ask(rounds: 10)
        let before = try daemon.state.anonymousSize
        try ask(rounds: 50)
        #expect(try daemon.state.anonymousSize <= before + 262_144)
    }

    /// The memory for loading a configuration is released once the daemon serves it, and the configuration with the next one.
    @Test func reloadsLeaveNothingBehind() throws {
        let routes = (0..<2_000).map { "  - { route: \"notes:/items\($0)/:id\", respond: { id: \"{id}\" } }\n" }
        let large = "schemes: [notes]\nroutes:\n\(routes.joined())"
        let daemon = try RunningDaemon(large)
        func reload(rounds: Int) throws {
            for _ in 0..<rounds {
                try daemon.reload(large)
                try daemon.reload(configuration)
            }
        }
        try reload(rounds: 4)
        let peak = try daemon.state.peakSize
        // Memory is released outside of the loop: for some time, one more configuration exists than before.
        try reload(rounds: 8)
        #expect(try daemon.state.peakSize <= peak + 6_291_456)
        // Memory is released outside of the loop; each answer is a turn of the loop.
        let client = try daemon.connect()
        try daemon.ask("notes:/ping", on: client) {
            try daemon.state.residentSize < daemon.state.peakSize - 2_097_152
        }
    }
}
