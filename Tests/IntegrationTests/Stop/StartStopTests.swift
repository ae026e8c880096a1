import CLinux
import Glibc
import Testing
import XCallbackTesting

/// The daemon's life from the point of view of its service manager.
@Suite(.blocking, .timeLimit(.minutes(10)))
struct StartStopTests {
    static let configuration = """
        schemes: [notes]
        routes:
          - route: notes:/echo
            respond: { v: "{v}" }
          - route: notes:/ping
            respond: { pong: "1" }

        """

    @Test
    func theSocketAcceptsWhenReadinessIsReportedAndTheStatusCountsTheRoutes() throws {
        let daemon = try RunningDaemon(starting: Self.configuration)
        let message = try daemon.manager.receive()
        let client = try daemon.connect()
        #expect(message.hasPrefix("READY=1"))
        #expect(message.contains("STATUS=Serving 2 routes on \(daemon.socket)"))
        #expect(try client.ask("notes:/ping") == "xcallback://x-callback-url/success?pong=1")
    }

    @Test(arguments: [SIGTERM, SIGINT])
    func aSignalStopsItCleanly(signal: Int32) throws {
        let daemon = try RunningDaemon(Self.configuration)
        #expect(daemon.directory.contains("socket"))
        #expect(try daemon.stop(with: signal) == 0)
        #expect(try daemon.manager.receive().hasPrefix("STOPPING=1"))
        // It has nothing to finish, and asks for no time.
        #expect(daemon.manager.receiveNow() == nil)
        #expect(!daemon.directory.contains("socket"))
    }

    /// While it reads its configuration, it has nothing that requires an orderly end.
    @Test(arguments: [SIGTERM, SIGINT])
    func whileItStartsASignalEndsItAtOnce(signal: Int32) throws {
        let routes = (0..<15_000).map { "  - { route: \"app:/r\($0)/:id\", respond: { id: \"{id}\" } }\n" }
        let daemon = try RunningDaemon(starting: "schemes: [app]\nroutes:\n\(routes.joined())")
        // The reading takes seconds.
        usleep(300_000)
        daemon.process.send(signal: signal)
        #expect(try daemon.process.wait() == 0)
        #expect(try daemon.log == "" && daemon.manager.receiveNow() == nil && !daemon.directory.contains("socket"))
    }

    @Test
    func aFaultyConfigurationEndsItWithItsPlace() throws {
        let daemon = try RunningDaemon(starting: "schemes: [notes]\nroutes:\n  - rout: notes:/ping\n    respond:\n")
        #expect(try daemon.process.wait() == 78)
        #expect(try daemon.log.contains("\(daemon.directory.path)/config.yaml:3:5: "))
        #expect(try daemon.log.contains("not started: the configuration has faults faults=2\n"))
        let status = "STATUS=Not started: the configuration has 2 faults, see the log"
        #expect(daemon.manager.receiveNow() == status)
        #expect(!daemon.directory.contains("socket"))
    }

    @Test
    func aConfigurationThatOthersMayWriteIsAFault() throws {
        let directory = try TemporaryDirectory()
        let file = try directory.write(Self.configuration, to: "open.yaml")
        chmod(file, 0o666)
        let daemon = try RunningDaemon(
            starting: Self.configuration, arguments: ["--config", file, "--check"], in: directory)
        #expect(try daemon.process.wait() == 78)
        #expect(try daemon.log.contains("open.yaml"))
    }

    @Test
    func aCheckReportsTheRoutesAndServesNobody() throws {
        let daemon = try RunningDaemon(starting: Self.configuration, arguments: ["--check"])
        #expect(try daemon.process.wait() == 0)
        #expect(try daemon.output.contains("valid: 2 routes for notes"))
        #expect(daemon.manager.receiveNow() == nil)
        #expect(!daemon.directory.contains("socket"))
    }

    @Test
    func warningsAreReportedAtEachLoadAndNobodyIsRefused() throws {
        let daemon = try RunningDaemon(Self.configuration + "  - route: notes:/run\n    exec: [/no-such-program]\n")
        let warning =
            "config.yaml:8:12: warning: '/no-such-program' does not exist\n"
        #expect(try daemon.log.contains(warning))
        #expect(try daemon.log.contains("\n1 warning in 1 file\n"))
        #expect(try daemon.connect().ask("notes:/ping") == "xcallback://x-callback-url/success?pong=1")
        let status = try daemon.reload(Self.configuration + "  - route: notes:/run\n    exec: [/no-other-program]\n")
        #expect(!status.contains("fault"))
        #expect(try daemon.log.contains(warning.replacing("no-such", with: "no-other")))
    }

    @Test(arguments: [[], ["--check"]])
    func everyFaultIsReportedThoughItsReaderIsLate(arguments: [String]) throws {
        let directory = try TemporaryDirectory()
        let file = directory.path(of: "stderr")
        _ = try TestFailure.check("mkfifo", mkfifo(file, 0o600))
        let reader = try TestFailure.check("open", open(file, O_RDONLY | O_NONBLOCK | O_CLOEXEC))
        defer { close(reader) }
        let writer = try TestFailure.check("open", open(file, O_WRONLY | O_CLOEXEC))
        // Each fault contains the path, so that all of them exceed a pipe's capacity.
        let folders = String(repeating: String(repeating: "f", count: 250) + "/", count: 12)
        let faults = (0..<40).map { "unknown-\($0): 0\n" }.joined()
        let configuration = try directory.write(faults, to: folders + "faulty.yaml")
        let daemon = try RunningDaemon(starting: "", arguments: ["--config", configuration] + arguments, in: directory)
        var entry = pollfd(fd: writer, events: Int16(POLLOUT), revents: 0)
        // Nothing is read before the pipe is full and the daemon waits.
        while daemon.process.isRunning {
            let isWaiting = (try? textOfFile("/proc/\(daemon.process.id)/stat"))?.contains(") S ") == true
            if isWaiting, poll(&entry, 1, 0) == 0 { break }
            sched_yield()
        }
        close(writer)
        _ = try TestFailure.check("fcntl", fcntl(reader, F_SETFL, 0))
        let text = try textOfDescriptor(reader)
        #expect(text.split(separator: "\n").count { $0.contains(": unknown key 'unknown-") } == 40)
        #expect(try daemon.process.wait() == 78)
    }

    @Test(arguments: [["--sockets"], ["extra"], ["--config"], ["--config="]])
    func anArgumentThatIsNotUnderstoodIsAUsageError(arguments: [String]) throws {
        let daemon = try RunningDaemon(starting: Self.configuration, arguments: arguments)
        #expect(try daemon.process.wait() == 64)
        #expect(try daemon.log.contains("Usage: xcallbackd"))
        #expect(try daemon.log.contains(arguments[0].split(separator: "=")[0]))
        #expect(daemon.manager.receiveNow()?.hasPrefix("STATUS=Not started: ") == true)
    }
}
