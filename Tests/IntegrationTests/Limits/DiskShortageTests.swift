import Glibc
import Testing
import XCallbackTesting
import XCallbackURL
import XCallbackWire

/// A daemon without free disk space.
@Suite(.blocking, .timeLimit(.minutes(10)))
struct DiskShortageTests {
    private static let configuration = """
        schemes: [app]
        routes:
          - { route: "app:/ping", respond: { pong: 1 } }
          - { route: "app:/run", exec: [sh, -c, "echo complaint >&2; echo hello"] }
        """
    private static let pong = "xcallback://x-callback-url/success?pong=1"

    private static func expectLife(of daemon: RunningDaemon) throws {
        let client = try daemon.connect()
        for _ in 0..<100 { #expect(try client.ask("app:/nowhere")?.contains("errorCode=404") == true) }
        #expect(try client.ask("app:/run") == "xcallback://x-callback-url/success?result=hello")
        #expect(try daemon.reload(configuration).contains("STATUS=Serving 2 routes"))
        #expect(try client.ask("app:/ping") == pong)
    }

    @Test func aLogThatTakesNothingIsInTheWayOfNothing() throws {
        let daemon = try RunningDaemon(Self.configuration, preparation: "exec 2>/dev/full")
        try Self.expectLife(of: daemon)
    }

    @Test(arguments: [true, false])
    func aLogThatNobodyReadsIsInTheWayOfNothing(hasReader: Bool) throws {
        let directory = try TemporaryDirectory()
        let path = directory.path(of: "pipe")
        _ = try TestFailure.check("mkfifo", mkfifo(path, 0o600))
        let reader = try TestFailure.check("open", open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC))
        let daemon = try RunningDaemon(starting: Self.configuration, in: directory, preparation: "exec 2>'\(path)'")
        try daemon.waitUntilReady()
        if hasReader {
            let writer = try TestFailure.check("open", open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC))
            for size in [4096, 1] {
                let bytes = [UInt8](repeating: 0, count: size)
                while write(writer, bytes, size) > 0 {}
            }
            close(writer)
        } else {
            close(reader)
        }
        try Self.expectLife(of: daemon)
        #expect(try daemon.stop() == 0)
        if hasReader { close(reader) }
    }
}
