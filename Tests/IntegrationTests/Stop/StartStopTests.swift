import Glibc
import TestSupport
import Testing
import XCallbackTesting

/// The daemon's life from the point of view of its service manager.
@Suite(.blocking)
struct StartStopTests {
    @Test(arguments: [SIGTERM, SIGINT])
    func aSignalStopsItCleanly(signal: Int32) throws {
        let daemon = try RunningDaemon(RunningDaemon.echoConfiguration)
        #expect(daemon.directory.contains("socket"))
        expect(try daemon.stop(with: signal), equals: 0)
        expect(try daemon.manager.receive()) { $0.hasPrefix("STOPPING=1") }
        // It has nothing to finish, and asks for no time.
        #expect(daemon.manager.receiveNow() == nil)
        #expect(!daemon.directory.contains("socket"))
    }

    /// While it reads its configuration, it has nothing that requires an orderly end.
    @Test(arguments: [SIGTERM, SIGINT])
    func whileItStartsASignalEndsItAtOnce(signal: Int32) throws {
        let routes = (0..<15_000).map { "  - { route: \"app:/r\($0)/:id\", respond: { id: \"{id}\" } }\n" }
        let directory = try TemporaryDirectory()
        let file = try directory.write("schemes: [app]\nroutes:\n\(routes.joined())", to: "long.yaml")
        let events = try TestFailure.check("inotify_init1", inotify_init1(Int32(IN_CLOEXEC)))
        defer { close(events) }
        _ = try TestFailure.check("inotify_add_watch", inotify_add_watch(events, file, UInt32(IN_CLOSE_NOWRITE)))
        let daemon = try RunningDaemon(starting: "", arguments: ["--config", file], in: directory)
        // It has read the bytes; to decode them takes seconds.
        var entry = pollfd(fd: events, events: Int16(POLLIN), revents: 0)
        try #require(poll(&entry, 1, 20_000) == 1)
        daemon.process.send(signal: signal)
        expect(try daemon.process.wait(), equals: 0)
        #expect(try daemon.log == "" && daemon.manager.receiveNow() == nil && !daemon.directory.contains("socket"))
    }

    @Test
    func aFaultyConfigurationEndsItWithItsPlace() throws {
        let daemon = try RunningDaemon(starting: "schemes: [notes]\nroutes:\n  - rout: notes:/ping\n    respond:\n")
        expect(try daemon.process.wait(), equals: 78)
        expect(try daemon.log) { $0.contains("\(daemon.directory.path)/config.yaml:3:5: ") }
        expect(try daemon.log) { $0.contains("not started: the configuration has faults faults=2\n") }
        let status = "STATUS=Not started: the configuration has 2 faults, see the log"
        #expect(daemon.manager.receiveNow() == status)
        #expect(!daemon.directory.contains("socket"))
    }

    /// Clients check the user of a daemon, so no other user gets their requests.
    @Test(arguments: [(0o755, false), (0o777, true), (0o1777, false), (0o775, geteuid() == 0)] as [(mode_t, Bool)])
    func aFolderInWhichOthersCanReplaceTheSocketIsReported(mode: mode_t, isReported: Bool) throws {
        let directory = try TemporaryDirectory()
        let folder = directory.path(of: "open")
        mkdir(folder, 0o700)
        // Others are in the group only if it is not the user's own.
        if geteuid() == 0 { chown(folder, 0, 65534) }
        chmod(folder, mode)
        let file = try directory.write(RunningDaemon.echoConfiguration, to: "config.yaml")
        let process = try ChildProcess(
            [RunningDaemon.program("xcallbackd"), "--config", file, "--socket", "\(folder)/socket"],
            output: directory.path(of: "log"))
        try waitUntil("the socket is there") { access("\(folder)/socket", F_OK) == 0 }
        process.send(signal: SIGTERM)
        expect(try process.wait(), equals: 0)
        let log = try directory.text(of: "log")
        #expect(log.contains("other users can replace the socket folder=\(folder)") == isReported, "\(log)")
    }

    private static let token = "schemes: [n]\nroutes: [{ route: n:/a, policies: [{ token: KEY }], respond: }]\n"

    static let missing: [(configuration: String, preparation: String, cause: String)] = [
        (
            token.replacing("KEY", with: "{ file: secret }"), "",
            "/config.yaml:2:53: the secret cannot be read: open: No such file or directory"
        ),
        (
            token.replacing("KEY", with: "{ credential: hook }"), "export CREDENTIALS_DIRECTORY=/nowhere; ",
            "/config.yaml:2:59: the service started without the credential 'hook': add it with LoadCredential= or "
                + "SetCredential=, and restart it"
        ),
        ("", "ln -sf /nowhere HERE/config.yaml; ", "/config.yaml: cannot be opened: no such file or directory"),
        ("", "rm HERE/config.yaml; ", "/config.yaml: cannot be opened: no such file or directory"),
    ]

    /// It may be on a file system that is mounted late: the service manager tries again, and says what is missing.
    @Test(arguments: missing)
    func aMissingFileMayComeLater(configuration: String, preparation: String, cause: String) throws {
        let directory = try TemporaryDirectory()
        let daemon = try RunningDaemon(
            starting: configuration, in: directory,
            preparation: "\(preparation.replacing("HERE", with: directory.path)):")
        expect(try daemon.process.wait(), equals: 66)
        let status = daemon.manager.receiveNow()
        #expect(status == "STATUS=Not started: \(directory.path)\(cause)", "\(status ?? "")")
    }

    @Test func aMissingFileBesideAFaultIsNoReasonToTryAgain() throws {
        let configuration = Self.token.replacing("KEY", with: "{ file: secret }") + "routs: 7\n"
        let daemon = try RunningDaemon(starting: configuration)
        expect(try daemon.process.wait(), equals: 78)
    }

    @Test
    func warningsAreReportedAtEachLoadAndNobodyIsRefused() throws {
        let daemon = try RunningDaemon(
            RunningDaemon.echoConfiguration + "  - route: notes:/run\n    exec: [/no-such-program]\n")
        let warning =
            "config.yaml:8:12: warning: '/no-such-program' does not exist\n"
        expect(try daemon.log) { $0.contains(warning) }
        expect(try daemon.log) { $0.contains("\n1 warning in 1 file\n") }
        expect(try daemon.connect().ask("notes:/ping"), equals: "xcallback://x-callback-url/success?pong=1")
        let status = try daemon.reload(
            RunningDaemon.echoConfiguration + "  - route: notes:/run\n    exec: [/no-other-program]\n")
        #expect(!status.contains("fault"))
        expect(try daemon.log) { $0.contains(warning.replacing("no-such", with: "no-other")) }
    }
}
