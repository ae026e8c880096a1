import Glibc
import Testing
import XCallbackTesting

/// A daemon whose socket file another process removes or replaces.
@Suite(.blocking, .timeLimit(.minutes(10)))
struct LostSocketTests {
    private let daemon: RunningDaemon
    private let kept: String

    init() throws {
        daemon = try RunningDaemon(StartStopTests.configuration)
        kept = daemon.directory.path(of: "kept")
    }

    /// Waits for a status; earlier notifications may precede it.
    private func expectStatus(_ text: String) throws {
        while try !daemon.manager.receive().hasPrefix("STATUS=\(text)") {}
    }

    @Test func aRemovedSocketIsReported() throws {
        let client = try daemon.connect()
        #expect(unlink(daemon.socket) == 0)
        try expectStatus("Clients cannot connect: \(daemon.socket) is gone (restart xcallbackd), ")
        let line = "clients cannot connect: the socket file is gone remedy=\"restart xcallbackd\""
        let log = try daemon.log
        #expect(log.contains("error \(line) socket=\(daemon.socket)\n"), "\(log)")
        #expect(try client.ask("notes:/echo?v=1") == "xcallback://x-callback-url/success?v=1")
        #expect(try daemon.stop() == 0)
    }

    @Test func theSocketIsTakenBack() throws {
        #expect(rename(daemon.socket, kept) == 0)
        try expectStatus("Clients cannot connect: \(daemon.socket) is gone ")
        #expect(rename(kept, daemon.socket) == 0)
        try expectStatus("Serving 2 routes on \(daemon.socket), ")
        #expect(try daemon.log.contains("info  clients can connect again socket=\(daemon.socket)\n"))
        #expect(try daemon.connect().ask("notes:/echo?v=1") == "xcallback://x-callback-url/success?v=1")
    }

    @Test func anotherFileInItsPlaceIsReportedAndLeftAlone() throws {
        try daemon.directory.write("other", to: "other")
        #expect(rename(daemon.directory.path(of: "other"), daemon.socket) == 0)
        let remedy = "(remove the file and restart xcallbackd)"
        try expectStatus("Clients cannot connect: another file is at \(daemon.socket) \(remedy), ")
        #expect(try daemon.log.contains("error clients cannot connect: another file is at the socket path "))
        #expect(try daemon.stop() == 0)
        #expect(try daemon.directory.text(of: "socket") == "other")
    }

    @Test func aSocketThatIsBoundAnewIsAnother() throws {
        #expect(unlink(daemon.socket) == 0)
        try expectStatus("Clients cannot connect: \(daemon.socket) is gone ")
        let other = try SocketServer(daemon.socket) { _ in }
        try expectStatus("Clients cannot connect: another file is at ")
        withExtendedLifetime(other) {}
    }

    @Test func aFolderThatIsMovedTakesTheSocketWithIt() throws {
        let directory = try TemporaryDirectory()
        #expect(mkdir(directory.path(of: "folder"), 0o700) == 0)
        let daemon = try RunningDaemon(
            starting: StartStopTests.configuration, socket: directory.path(of: "folder/socket"))
        try daemon.waitUntilReady()
        #expect(rename(directory.path(of: "folder"), directory.path(of: "away")) == 0)
        #expect(try daemon.manager.receive().contains("\(directory.path)/folder/socket is gone "))
    }

    @Test func itsOwnEndIsNoLoss() throws {
        #expect(try daemon.stop() == 0)
        #expect(try !daemon.log.contains("clients can"))
    }
}
