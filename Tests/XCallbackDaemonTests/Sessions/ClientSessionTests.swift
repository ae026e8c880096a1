import Testing
import XCallbackBuiltIns
import XCallbackEventLoop
import XCallbackURL

@Suite(.timeLimit(.minutes(10)))
struct ClientSessionTests {
    private struct Unknown: Error {}
    private struct Known: CallbackErrorConvertible {
        var callbackError: CallbackError { CallbackError(.unavailable, "nobody") }
    }

    @Test func aStageThatNeedNotWaitIsAnswered() async throws {
        let daemon = try await TestDaemon()
        #expect(try await daemon.connect().ask("app:/prompt?name=a") == success("a"))
    }

    @Test func linesWhoseStagesNeedNotWaitAreAllAnswered() async throws {
        let daemon = try await TestDaemon()
        let client = try daemon.connect()
        let numbers = (0..<2000).map(String.init)
        try await client.send(numbers.map { "app:/prompt?name=\($0)\n" }.joined())
        await client.endSending()
        #expect(try await client.readToEnd() == numbers.map { success($0) })
    }

    @Test(arguments: ["ask-and-wait-briefly", "receive-and-wait-briefly"])
    func aTimeOutCancelsTheStageThatWaitsAfterOneThatDidNot(action: String) async throws {
        let daemon = try await TestDaemon()
        let client = try daemon.connect()
        let answer = try #require(try await client.ask("app:/\(action)?name=a"))
        #expect(answer.hasPrefix(failure(504)))
        #expect(daemon.events.all == ["a begins", "a is cancelled"])
    }

    @Test func aLineIsBegunWhenTheOneBeforeItIsAnswered() async throws {
        let daemon = try await TestDaemon()
        let client = try daemon.connect()
        try await client.send("app:/wait?name=a\napp:/now?name=b\n")
        await daemon.events.wait(for: "a begins")
        #expect(try await daemon.connect().ask("app:/now?name=c") == success("c"))
        daemon.gate.open("a")
        #expect(try await client.readLine() == success("a"))
        #expect(try await client.readLine() == success("b"))
        #expect(daemon.events.all == ["a begins", "c begins", "a ends", "b begins"])
    }

    @Test func connectionsWaitAtTheSameTime() async throws {
        let daemon = try await TestDaemon()
        let names = ["a", "b", "c"]
        var clients: [TestClient] = []
        for name in names {
            let client = try daemon.connect()
            try await client.send("app:/wait?name=\(name)\n")
            await daemon.events.wait(for: "\(name) begins")
            clients.append(client)
        }
        for (name, client) in zip(names, clients).reversed() {
            daemon.gate.open(name)
            #expect(try await client.readLine() == success(name))
        }
    }

    static let timeOuts: [(action: String, limits: Limits)] = [
        ("wait-briefly", Limits()), ("wait", Limits { $0.handlerTime = .milliseconds(50) }),
    ]

    @Test(arguments: timeOuts)
    func whatComesAfterATimeOutAnswersNothing(action: String, limits: Limits) async throws {
        let daemon = try await TestDaemon(limits: limits)
        let client = try daemon.connect()
        let answer = try #require(try await client.ask("app:/\(action)?name=a"))
        #expect(answer.hasPrefix(failure(504)))
        try await client.send("app:/wait-long?name=b\n")
        await daemon.events.wait(for: "b begins")
        daemon.gate.open("a")
        await daemon.events.wait(for: "a ends")
        daemon.gate.open("b")
        await client.endSending()
        #expect(try await client.readToEnd() == [success("b")])
        #expect(daemon.events.all == ["a begins", "a is cancelled", "b begins", "a ends", "b ends"])
    }

    @Test func aClientThatHangsUpEndsItsRequest() async throws {
        let daemon = try await TestDaemon(
            limits: Limits {
                $0.capacity[.connections] = 1
                $0.capacity[.requests] = 1
            })
        do {
            let client = try daemon.connect()
            try await client.send("app:/wait-told?name=a\napp:/now?name=b\n")
            await daemon.events.wait(for: "a begins")
        }
        await daemon.events.wait(for: "a is finished")
        let next = try daemon.connect()
        try await next.send("app:/wait?name=c\n")
        await daemon.events.wait(for: "c begins")
        daemon.gate.open("a")
        await daemon.events.wait(for: "a ends")
        daemon.gate.open("c")
        #expect(try await next.readLine() == success("c"))
        #expect(
            daemon.events.all == [
                "a is received", "a begins", "a is cancelled", "a is finished", "c begins", "a ends", "c ends",
            ])
    }

    @Test(arguments: ["\n", ""])
    func aClientThatSendsNoMoreGetsItsAnswer(end: String) async throws {
        let daemon = try await TestDaemon()
        let client = try daemon.connect()
        try await client.send("app:/wait?name=a" + end)
        await client.endSending()
        await daemon.events.wait(for: "a begins")
        daemon.gate.open("a")
        #expect(try await client.readToEnd() == [success("a")])
    }

    @Test func aClientMayEndSendingWhileItsRequestWaits() async throws {
        let daemon = try await TestDaemon()
        let client = try daemon.connect()
        try await client.send("app:/wait?name=a\n")
        await daemon.events.wait(for: "a begins")
        await client.endSending()
        // By the time of this answer the loop has had the chance to act on the end.
        #expect(try await daemon.connect().ask("app:/now?name=b") == success("b"))
        daemon.gate.open("a")
        #expect(try await client.readToEnd() == [success("a")])
        #expect(!daemon.events.all.contains("a is cancelled"))
    }

    static let errors: [(any Error, String)] = [
        (Known(), failure(503) + "errorMessage=nobody"),
        (Unknown(), failure(500) + "errorMessage=The%20handler%20failed."),
    ]

    @Test(arguments: errors)
    func anErrorIsToldAsFarAsItAllows(error: any Error, answer: String) async throws {
        let daemon = try await TestDaemon()
        let client = try daemon.connect()
        daemon.gate.open("a", with: .failure(error))
        #expect(try await client.ask("app:/wait?name=a") == answer)
        #expect(try await client.ask("app:/now?name=b") == success("b"))
    }
}
