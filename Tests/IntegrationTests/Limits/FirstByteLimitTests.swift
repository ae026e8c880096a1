import Testing
import XCallbackTesting

/// The time limit for a client's first byte.
@Suite(.blocking, .timeLimit(.minutes(10)))
struct FirstByteLimitTests {
    /// The loop itself waits a second at a time, so a longer limit takes another path through it.
    @Test(arguments: ["200ms", "1500ms"])
    func whoSendsNothingIsClosedAndWhoSentAByteStays(limit: String) throws {
        let daemon = try RunningDaemon(StartStopTests.configuration + "limits: { first-byte: \(limit) }\n")
        let slow = try daemon.connect()
        try slow.send("n")
        let silent = try daemon.connect()
        #expect(try silent.readLine() == nil)
        #expect(try slow.ask("otes:/echo?v=1") == "xcallback://x-callback-url/success?v=1")
    }

    @Test
    func aClientThatOnlyHalfClosesIsClosedAtOnce() throws {
        let daemon = try RunningDaemon(StartStopTests.configuration)
        let client = try daemon.connect()
        client.endSending()
        let start = ContinuousClock.now
        #expect(try client.readLine() == nil)
        #expect(ContinuousClock.now - start < .seconds(8))
    }
}
