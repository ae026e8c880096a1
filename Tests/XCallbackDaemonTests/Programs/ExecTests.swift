import Logging
import Testing
import XCallbackBuiltIns
import XCallbackDaemon
import XCallbackEventLoop
import XCallbackSystemd
import XCallbackTesting

/// A program that answers while no other thread is free.
///
/// One after the other: a test that waits for its turn would hold a thread that the others need.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct ExecTests {
    private static let configuration = """
        schemes: [app]
        routes:
          - route: app:/echo/:text
            exec: [echo, "{text}"]
          - route: app:/sleep
            exec: [sleep, "600"]
            timeout: 50ms

        """

    static let requests = [
        ("app:/echo/hello", "xcallback://x-callback-url/success?result=hello"),
        ("app:/sleep", "xcallback://x-callback-url/error?errorCode=504"),
    ]

    @Test(arguments: requests)
    func aProgramAnswersWhileTheSharedThreadsAreBlocked(line: String, answer: String) async throws {
        let directory = try TemporaryDirectory()
        let socket = directory.path(of: "socket")
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let loop = try EventLoop(label: "test")
        loop.start()
        let configuration = try RouterConfiguration(text: Self.configuration, name: "c.yaml", logger: logger)
        let parts = ServiceParts(
            configuration: configuration, loader: ConfigurationLoader(load: { _ in configuration }) { _ in },
            descriptorLimit: 1024, notifier: Notifier(ServiceManager(), logger: logger), logger: logger)
        let listener = try Listener(path: socket, mode: 0o600)
        try await loop.serve(parts, on: listener, signals: []) {}
        let client = try LineClient(socket)
        var received: String?
        // Tests that block hold threads of Dispatch, of which there may be none left for the program: then once more.
        for _ in 0..<5 where received?.contains("errorCode=503") != false {
            received = whilePoolIsBlocked { done in done(try? client.ask(line)) }
        }
        #expect(received?.hasPrefix(answer) == true, "\(received ?? "nothing")")
        await loop.stop()
    }
}
