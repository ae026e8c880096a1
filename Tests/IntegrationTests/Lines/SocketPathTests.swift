import CLinux
import Glibc
import TestSupport
import Testing
import XCallbackTesting

/// The contents of the socket's path when the daemon starts.
@Suite(.blocking)
struct SocketPathTests {
    private let configuration = RunningDaemon.echoConfiguration

    @Test
    func aSocketThatAnotherDaemonHasIsLeftToIt() throws {
        let first = try RunningDaemon(configuration)
        let client = try first.connect()
        let second = try RunningDaemon(starting: configuration, socket: first.socket)
        expect(try second.process.wait(), equals: 69)
        expect(try second.log) { $0.contains("another daemon is listening on '\(first.socket)'") }
        expect(try client.ask("notes:/echo?v=1"), equals: "xcallback://x-callback-url/success?v=1")
        expect(try first.connect().ask("notes:/echo?v=2"), equals: "xcallback://x-callback-url/success?v=2")
    }

    @Test
    func aSocketThatADeadDaemonHasLeftIsReplaced() throws {
        let directory = try TemporaryDirectory()
        let first = try RunningDaemon(starting: configuration, in: directory)
        _ = try first.manager.receive()
        expect(try first.stop(with: SIGKILL), equals: 128 + SIGKILL)
        #expect(directory.contains("socket"))
        let second = try RunningDaemon(starting: configuration, in: directory)
        expect(try second.manager.receive()) { $0.hasPrefix("READY=1") }
        expect(try second.connect().ask("notes:/echo?v=1"), equals: "xcallback://x-callback-url/success?v=1")
    }

    @Test
    func aFileThatIsNoSocketIsNotRemoved() throws {
        let directory = try TemporaryDirectory()
        try directory.write("precious", to: "socket")
        let daemon = try RunningDaemon(starting: configuration, in: directory)
        expect(try daemon.process.wait(), equals: 73)
        expect(try directory.text(of: "socket"), equals: "precious")
        #expect(!directory.contains("socket.lock"))
        expect(try daemon.log) { $0.contains("exists and is not a socket") }
    }

    @Test
    func aPathThatIsTooLongIsReported() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path(of: String(repeating: "s", count: 108))
        let daemon = try RunningDaemon(starting: configuration, socket: path, in: directory)
        expect(try daemon.process.wait(), equals: 73)
        expect(try daemon.log) { $0.contains("is longer than 107 bytes") }
        let status = daemon.manager.receiveNow()
        #expect(status?.hasPrefix("STATUS=Not started: ") == true && status?.contains("107 bytes") == true)
    }

    @Test
    func theSocketIsItsUsersAlone() throws {
        let daemon = try RunningDaemon(configuration)
        var status = stat()
        #expect(lstat(daemon.socket, &status) == 0)
        #expect(status.st_mode & 0o777 == 0o600)
    }
}
