import Testing
import XCallback
import XCallbackTesting
import XCallbackWire

/// Calls that exceed the daemon's maximum size.
@Suite(.timeLimit(.minutes(10)))
struct MessageLimitTests {
    private static let configuration = """
        schemes: [app]
        limits: { message: 100000 }
        routes:
          - { route: app:/length, respond: { text: "{text}" } }
        """

    @Test func theLibraryLearnsWhichLimitItHasMet() async throws {
        let daemon = try RunningDaemon(Self.configuration)
        let client = Client(socket: daemon.socket)
        for count in [100_000, 3_000_000] {
            let text = String(repeating: "a", count: count)
            let error = await #expect(throws: ClientError.self) { try await client.open("app:/length?text=\(text)") }
            #expect(error?.reason == .tooLong(limit: 100_000))
            #expect(error?.description.contains("'limits: { message: … }'") == true)
        }
        // The client does not repeat a call that is always rejected.
        #expect(try RouterClient(daemon.socket).call("Status")["total"]?["connections"]?.integer == 3)
        #expect(try await client.open("app:/length?text=a").response == .success(["text": "a"]))
    }
}
