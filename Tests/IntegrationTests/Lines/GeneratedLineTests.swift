import Testing
import XCallbackTesting

/// Very many lines of every kind to a single daemon.
@Suite(.blocking)
struct GeneratedLineTests {
    @Test(.timeLimit(.minutes(10)))
    func everyLineOfAMillionIsAnsweredAsItHasToBe() throws {
        try check(ReleaseBuild.program("xcallbackd"), lineCount: 1_000_000, seed: 0x2026)
    }

    /// With the debug build and its checks.
    @Test(.timeLimit(.minutes(10)))
    func everyLineOfFiftyThousandIsAnsweredAsItHasToBe() throws {
        try check(RunningDaemon.program("xcallbackd"), lineCount: 50_000, seed: 0x2028)
    }

    private func check(_ program: String, lineCount: Int, seed: UInt64) throws {
        let daemon = try RunningDaemon(starting: StartStopTests.configuration, program: program)
        try daemon.waitUntilReady()
        var random = SeededGenerator(seed: seed)
        var conversations = try (0..<8).map { _ in try GeneratedConversation(with: daemon) }
        var sentCount = 0
        var earlySize: Int?
        while sentCount < lineCount {
            // All lines are sent before any answer is read, so that the daemon and the test run concurrently.
            for index in conversations.indices { sentCount += try conversations[index].sendLines(&random) }
            for index in conversations.indices { try conversations[index].readAnswers() }
            if earlySize == nil, sentCount >= min(100_000, lineCount / 2) { earlySize = try daemon.state.residentSize }
        }
        #expect(daemon.process.isRunning)
        let growth = try daemon.state.residentSize - (earlySize ?? 0)
        #expect(growth <= 1 << 20)
    }
}
