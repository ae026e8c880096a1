import Glibc
import Testing
import XCallbackTesting

/// What the daemon costs a machine while it has little to do, told without a clock.
@Suite(.timeLimit(.minutes(10)))
struct WeightTests {
    private let configuration = StartStopTests.configuration

    /// A thread of the pool that all tasks share would stay behind, and with it a timer of Dispatch that fires every
    /// second for ever.
    @Test func noTaskUsesThePoolThatAllShare() throws {
        let site = try ExecSite("schemes: [notes]\nroutes:\n  - route: notes:/true\n    exec: [/bin/true]\n")
        let daemon = site.daemon
        let client = try daemon.connect()
        for _ in 0..<3 { #expect(try client.ask("notes:/true").contains("/success")) }
        try daemon.reload("schemes: [notes]\nroutes: [{ route: notes:/ping, respond: { pong: 1 } }]\n")
        #expect(try client.ask("notes:/ping").hasSuffix("pong=1"))
        let names = try daemon.facts.threadNames
        #expect(!names.isEmpty)
        // Queues of our own are served by threads that Dispatch adds for them.
        #expect(names.allSatisfy { $0 == "xcallbackd" || $0.hasSuffix(".overcommit") }, "\(names)")
        #expect(try daemon.stop() == 0)
    }

    @Test func manyRequestsTakeNoMoreMemoryThanSome() throws {
        let daemon = try RunningDaemon(configuration)
        let client = try daemon.connect()
        let lines = String(repeating: "notes:/ping/Ada?x-success=app:/done\n", count: 500)
        func ask(_ rounds: Int) throws {
            for _ in 0..<rounds {
                try client.send(lines)
                for _ in 0..<500 { _ = try client.receive() }
            }
        }
        try ask(20)
        let before = try daemon.facts.residentSize
        try ask(100)
        #expect(try daemon.facts.residentSize <= before + 65_536)
        #expect(try daemon.stop() == 0)
    }

    @Test func reloadsLeaveNothingBehind() throws {
        let routes = (0..<2_000).map { "  - { route: \"notes:/items\($0)/:id\", respond: { id: \"{id}\" } }\n" }
        let configuration = "schemes: [notes]\nroutes:\n\(routes.joined())"
        let daemon = try RunningDaemon(configuration)
        let before = try daemon.facts.residentSize
        for _ in 0..<3 { try daemon.reload(configuration) }
        // Another one, after which those before are gone.
        try daemon.reload("schemes: [notes]\nroutes: [{ route: notes:/ping, respond: { pong: 1 } }]\n")
        while try daemon.facts.residentSize > before { _ = try daemon.connect().ask("notes:/ping") }
        #expect(try daemon.stop() == 0)
    }

    /// The release daemon is smaller than the one that tests run, whose libraries are shared; what both have in common
    /// is which ones are there.
    @Test func nothingBringsLibrariesAlongThatNobodyNeeds() throws {
        let daemon = try RunningDaemon(configuration)
        let files = try daemon.facts.mappedFiles
        for name in ["Foundation", "StringProcessing", "RegexParser", "libsystemd", "libgcrypt"] {
            #expect(!files.contains { $0.contains(name) }, "\(name)")
        }
        #expect(try daemon.stop() == 0)
    }
}
