import Testing

/// A policy with a time of its own, while that of the request stands still.
@Suite(.timeLimit(.minutes(10)))
struct QuestionTests {
    /// Lets so much time go by that a request which was sent before would be out of it.
    private static func letTimePass(_ daemon: TestDaemon) async throws {
        let answer = try await daemon.connect().ask("app:/wait-briefly?name=clock")
        #expect(answer?.hasPrefix(failure(504)) == true)
    }

    @Test func theTimeOfARequestStandsStillDuringAQuestion() async throws {
        let daemon = try await TestDaemon()
        let client = try daemon.connect()
        try await client.send("app:/ask?name=a\n")
        await daemon.events.wait(for: "a begins")
        try await Self.letTimePass(daemon)
        daemon.gate.open("a")
        #expect(try await client.readLine() == success("a"))
    }

    @Test func theTimeOfARequestGoesOnAfterAQuestion() async throws {
        let daemon = try await TestDaemon()
        let client = try daemon.connect()
        try await client.send("app:/ask-then-wait?name=a\n")
        await daemon.events.wait(for: "a begins")
        try await Self.letTimePass(daemon)
        daemon.gate.open("a")
        #expect(try await client.readLine()?.hasPrefix(failure(504) + "errorMessage=The%20handler") == true)
    }

    @Test func aQuestionHasATimeOfItsOwn() async throws {
        let daemon = try await TestDaemon()
        let answer = try await daemon.connect().ask("app:/ask-briefly?name=a")
        #expect(answer?.hasPrefix(failure(504) + "errorMessage=The%20request%20was%20not%20allowed") == true)
    }
}
