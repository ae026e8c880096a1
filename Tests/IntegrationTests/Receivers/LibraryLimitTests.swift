import Synchronization
import TestSupport
import Testing
import XCallback
import XCallbackTesting
import XCallbackWire

/// Applications that exceed what the daemon allows.
@Suite(.timeLimit(.minutes(10)))
struct LibraryLimitTests {
    private struct Notes: App {
        struct Write: Action { typealias Output = String }

        var opener: any Opener
    }

    private static let configuration = """
        schemes: [notes]
        routes:
          - { route: notes:/write, deliver: notes, wait: 60s }
        """

    @Test func anAnswerThatIsTooLongIsAnErrorAtOnceOnBothSides() async throws {
        let daemon = try RunningDaemon("\(Self.configuration)\nlimits: { message: 65536 }")
        let client = Client(socket: daemon.socket)
        let errors = Mutex<[String]>([])
        let router = try Router(scheme: "notes", onError: { error, _ in errors.withLock { $0.append("\(error)") } }) {
            $0.route("/write") { String(repeating: "a", count: 80_000) }
        }
        let serving = Task { try await router.serve(as: "notes", through: client, concurrently: 1) }
        for _ in 0..<2 {
            let error = await #expect(throws: CallbackError.self) {
                try await Notes(opener: client).run(Notes.Write())
            }
            #expect(error?.code == .internalFailure)
            #expect(error?.message == "The answer is longer than the 65536 bytes that the daemon accepts.")
        }
        #expect(errors.withLock { $0.count } == 2)
        #expect(errors.withLock { $0.allSatisfy { $0.contains("'limits: { message: … }'") } })
        serving.cancel()
        _ = await serving.result
        expect(try daemon.stop(), equals: 0)
    }

    /// Calls that exceed the daemon's maximum size.
    @Test func theLibraryLearnsWhichLimitItHasMet() async throws {
        let daemon = try RunningDaemon(
            "schemes: [app]\nlimits: { message: 100000 }\nroutes: [{ route: app:/length, respond: { text: '{text}' } }]\n"
        )
        let client = Client(socket: daemon.socket)
        for count in [100_000, 3_000_000] {
            let text = String(repeating: "a", count: count)
            let error = await #expect(throws: ClientError.self) { try await client.open("app:/length?text=\(text)") }
            #expect(error?.reason == .tooLong(limit: 100_000))
            #expect(error?.description.contains("'limits: { message: … }'") == true)
        }
        // The client does not repeat a call that is always rejected.
        expect(try RouterClient(daemon.socket).call("Status")["total"]?["connections"]?.integer, equals: 3)
        expect(try await client.open("app:/length?text=a").response, equals: .success(["text": "a"]))
    }
}
