import CLinux
import Glibc
import Testing
import XCallbackTesting

/// The life of the daemon as its service manager sees it.
@Suite(.timeLimit(.minutes(10)))
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
    func whenReadyIsToldTheSocketAcceptsAndTheStatusCountsTheRoutes() throws {
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
        #expect(!daemon.directory.contains("socket"))
    }

    @Test
    func anIdleConnectionDoesNotKeepItFromStopping() throws {
        let daemon = try RunningDaemon(Self.configuration)
        let client = try daemon.connect()
        _ = try client.ask("notes:/ping")
        #expect(try daemon.stop() == 0)
        #expect(try client.readLine() == nil)
    }

    @Test
    func aFaultyConfigurationEndsItWithItsPlace() throws {
        let daemon = try RunningDaemon(starting: "schemes: [notes]\nroutes:\n  - rout: notes:/ping\n    respond:\n")
        #expect(try daemon.process.wait() == 78)
        #expect(try daemon.log.contains("\(daemon.directory.path)/config.yaml:3:5: "))
        #expect(daemon.manager.receiveNow() == nil)
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
    func aCheckTellsTheRoutesAndServesNobody() throws {
        let daemon = try RunningDaemon(starting: Self.configuration, arguments: ["--check"])
        #expect(try daemon.process.wait() == 0)
        #expect(try daemon.output.contains("valid: 2 routes for notes"))
        #expect(daemon.manager.receiveNow() == nil)
        #expect(!daemon.directory.contains("socket"))
    }

    @Test
    func aCheckOfAFaultyConfigurationFails() throws {
        let daemon = try RunningDaemon(starting: "schemes: [notes]\nroute: []\n", arguments: ["--check"])
        #expect(try daemon.process.wait() == 78)
        #expect(try daemon.log.contains("config.yaml:2:1: "))
    }

    @Test(arguments: [["--sockets"], ["extra"], ["--config"], ["--config="]])
    func anArgumentThatIsNotUnderstoodIsAUsageError(arguments: [String]) throws {
        let daemon = try RunningDaemon(starting: Self.configuration, arguments: arguments)
        #expect(try daemon.process.wait() == 64)
        #expect(try daemon.log.contains("Usage: xcallbackd"))
        #expect(try daemon.log.contains(arguments[0].split(separator: "=")[0]))
    }
}
