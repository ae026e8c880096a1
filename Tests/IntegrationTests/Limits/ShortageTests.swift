import Glibc
import Testing
import XCallbackTesting
import XCallbackWire

/// A daemon that the system allows no further threads and processes.
@Suite(.blocking, .timeLimit(.minutes(10)), .enabled(if: geteuid() == 0, "only root may become another user"))
struct ShortageTests {
    private static let configuration = """
        schemes: [app]
        routes:
          - { route: "app:/ping", respond: { pong: 1 } }
          - { route: "app:/run", exec: [echo, hello] }
          - { route: "app:/detached", exec: ["true"], detach: true }
          - { route: "app:/changed", middleware: [{ exec: ["true"] }], respond: { } }
          - { route: "app:/judged", policies: [{ exec: ["true"] }], respond: { } }
          - { route: "app:/asked", policies: [{ confirm: ["true"] }], respond: { } }
          - { route: "app:/delivered", deliver: name, start: ["true"], wait: 100ms }
          - { route: "app:/seen", policies: [{ executable: /bin/true }], respond: { } }
        """
    private static let pong = "xcallback://x-callback-url/success?pong=1"
    /// Routes that start programs, and a part of the answer on success.
    private static let programs = [
        ("run", "result=hello"), ("detached", "success"), ("changed", "success"), ("judged", "success"),
        ("asked", "success"), ("delivered", "No%20application%20can%20handle%20this"),
    ]

    /// Starts a daemon to which the limit of threads and processes applies, unlike to root.
    private static func start() throws -> RunningDaemon {
        let directory = try TemporaryDirectory()
        chown(directory.path, 64_000, 64_000)
        let daemon = try RunningDaemon(
            starting: configuration, in: directory,
            environment: ["WATCHDOG_USEC=1000000"], under: other)
        // The manager's socket belongs to root; earlier notifications are lost.
        chmod(daemon.manager.address, 0o666)
        // The file exists a moment before the daemon listens.
        while (try? daemon.connect()) == nil { try #require(daemon.process.isRunning) }
        // With its first watchdog notification, it has all its permanent threads.
        while try daemon.manager.receive() != "WATCHDOG=1" {}
        return daemon
    }

    private static let other = ["/usr/bin/setpriv", "--reuid", "64000", "--regid", "64000", "--clear-groups"]

    /// Sets the limit of threads and processes of the daemon's user.
    private static func limitThreads(of daemon: RunningDaemon, to count: Int) throws {
        let limit = try ChildProcess(
            other + ["/usr/bin/prlimit", "--pid", "\(daemon.process.id)", "--nproc=\(count):"],
            environment: ["PATH=/usr/bin:/bin"], output: daemon.directory.path(of: "limit"),
            error: daemon.directory.path(of: "limit"))
        guard try limit.wait() == 0 else { throw TestFailure("prlimit: \(try daemon.directory.text(of: "limit"))") }
    }

    /// Waits until only the daemon's permanent threads remain, those of the loop and of notifications.
    private static func waitUntilIdle(_ daemon: RunningDaemon) throws {
        try waitUntil("only two threads run") { try daemon.state.threadNames.count <= 2 }
    }

    /// Expects that the daemon answers, and notifies its manager.
    private static func expectLife(of daemon: RunningDaemon, _ client: LineClient) throws {
        #expect(try client.ask("app:/ping") == pong)
        #expect(try daemon.connect().ask("app:/ping") == pong)
        while daemon.manager.receiveNow() != nil {}
        for _ in 0..<3 { while try daemon.manager.receive() != "WATCHDOG=1" {} }
    }

    /// As with `TasksMax=`, the limit applies from the start, to the daemon and its programs together.
    @Test(arguments: [3, 6, 12])
    func aDaemonWithFewTasksAnswersAndEnds(count: Int) throws {
        let user = LimitedUser()
        let directory = try TemporaryDirectory()
        chown(directory.path, user.id, user.id)
        let daemon = try RunningDaemon(
            starting: Self.configuration + "\n  - { route: app:/slow, exec: [sleep, \"600\"], timeout: 500ms }\n",
            in: directory, under: user.words(threads: count))
        while (try? daemon.connect()) == nil { try #require(daemon.process.isRunning) }
        let client = try daemon.connect()
        // More programs than tasks.
        let callers = try (0..<14).map { _ in try daemon.connect() }
        for caller in callers { try caller.send("app:/slow\n") }
        for _ in 0..<100 { #expect(try client.ask("app:/ping") == Self.pong) }
        for _ in 0..<20 { daemon.process.send(signal: SIGHUP) }
        var codes: [String] = []
        for caller in callers {
            let answer = try #require(try caller.readLine())
            codes.append(String(answer.drop { $0 != "=" }.dropFirst().prefix(3)))
        }
        #expect(Set(codes).isSubset(of: ["503", "504"]) && codes.contains("503"), "\(codes)")
        #expect(try daemon.log.contains("the system allows no more "))
        #expect(try client.ask("app:/ping") == Self.pong)
    }

    @Test func whatStartsAProgramIsRefusedInTime() throws {
        let daemon = try Self.start()
        let client = try daemon.connect()
        try Self.waitUntilIdle(daemon)
        try Self.limitThreads(of: daemon, to: 1)
        let clients = try Self.programs.map { _ in try daemon.connect() }
        for (client, (action, _)) in zip(clients, Self.programs) { try client.send("app:/\(action)\n") }
        try Self.expectLife(of: daemon, client)
        for (client, (action, _)) in zip(clients, Self.programs) {
            let answer = try client.readLine()
            #expect(answer?.contains("errorCode=503") == true, "\(action): \(answer ?? "")")
        }
        try Self.limitThreads(of: daemon, to: 10_000)
        for (client, (action, part)) in zip(clients, Self.programs) {
            let answer = try client.ask("app:/\(action)")
            #expect(answer?.contains(part) == true, "\(action): \(answer ?? "")")
        }
    }

    @Test func whoAsksTheDaemonItselfIsRefusedInTime() throws {
        let daemon = try Self.start()
        let client = try daemon.connect()
        #expect(try client.ask("app:/ping") == Self.pong)
        try Self.waitUntilIdle(daemon)
        try Self.limitThreads(of: daemon, to: 1)
        let (inspector, caller, looker) = try (
            RouterClient(daemon.socket), RouterClient(daemon.socket), daemon.connect()
        )
        try inspector.send("Explain", ["url": "app:/seen"])
        try caller.send("Call", ["url": "other:/do"], mode: .more)
        let reloader = try RouterClient(daemon.socket)
        try reloader.send("Reload")
        try looker.send("app:/seen\n")
        try Self.expectLife(of: daemon, client)
        #expect(try looker.readLine()?.contains("cannot%20identify%20its%20program") == true)
        #expect(try caller.reply()["open"]?.text?.hasPrefix("other:/do?") == true)
        #expect(errorName { _ = try inspector.reply() } == "org.xcallback.Router.NoThread")
        #expect(errorName { _ = try reloader.reply() } == "org.xcallback.Router.NoThread")
        try inspector.send("Routes")
        #expect(errorName { _ = try inspector.reply() } == "org.xcallback.Router.NoThread")
        try Self.limitThreads(of: daemon, to: 10_000)
        #expect(try inspector.call("Routes")["routes"]?.elements?.count == 8)
    }
}
