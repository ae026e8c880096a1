import Glibc
import Synchronization
import TestSupport
import Testing
import XCallbackTesting

/// The clients for Python, Node and Go that the documents offer for copying, with the real daemon.
@Suite(.blocking)
struct CopiedClientTests {
    private static let configuration = """
        schemes: [n]
        routes:
          - { route: n:/echo, respond: { v: "{v}" } }
          - { route: n:/gone, redirect: "other:/app" }
          - { route: n:/slow, deliver: absent, wait: 60s }
          - { route: n:/brief, deliver: app, wait: 60s, timeout: 3s }
          - { route: n:/one, publish: t.one }
          - { route: n:/two, publish: t.two }
          - { route: "n:/typed/:id", input: { id: int, done: bool }, deliver: app, wait: 60s }
          - { route: "n:/app/*path", deliver: app, wait: 60s, timeout: 1h }
        """

    /// Runs a scenario until it ends; it must succeed.
    private func run(
        _ scenario: String, in language: ClientLanguage, configuration: String = Self.configuration
    ) throws -> (output: String, errors: String) {
        try language.require()
        let daemon = try RunningDaemon(configuration)
        let program = try language.run(scenario, asking: daemon.socket, in: daemon.directory)
        expect(try program.wait(), equals: 0, "\(program.errors)")
        return (try program.output, program.errors)
    }

    @Test(arguments: ClientLanguage.allCases)
    func valuesComeBackAsTheyWent(language: ClientLanguage) throws {
        let (output, errors) = try run("values", in: language)
        #expect(output == "equal\nequal\nequal\n" && errors == "")
    }

    @Test(arguments: ClientLanguage.allCases)
    func handlersGetTheTypesOfTheRoute(language: ClientLanguage) throws {
        let (output, errors) = try run("typed", in: language)
        #expect(output == "8\n" && errors == "")
    }

    @Test(arguments: ClientLanguage.allCases)
    func eachEndIsAnErrorOfItsOwn(language: ClientLanguage) throws {
        let (output, errors) = try run("ends", in: language)
        let expected = """
            refuse 4711 Nöt & today
            cancel cancelled
            fail 500 The handler has failed.
            nul 500 The handler has failed.
            name 500 The handler has failed.
            none 404 No route answers this action.
            gone 503 Another application answers this.
            long 413 The URL is longer than 65536 bytes (limits: line).
            longer LimitReached
            slow timeout
            nobody UnknownName
            nowhere Unread

            """
        #expect(output == expected)
        #expect(errors.split(separator: "\n").count { $0.contains("cannot be sent") } == 2)
        #expect(errors.split(separator: "\n").count { $0.contains("has failed") } == 1)
    }

    @Test(arguments: ClientLanguage.allCases)
    func fiveHundredRequestsAtOnceHaveEachTheirAnswer(language: ClientLanguage) throws {
        let configuration = Self.configuration.replacing("routes:", with: "limits: { requests: 36 }\nroutes:")
        let (output, errors) = try run("many", in: language, configuration: configuration)
        #expect(output == "equal\n" && errors == "")
    }

    @Test(arguments: ClientLanguage.allCases)
    func aHandlerIsCancelledWhoseCallerHasLeftOrWhoseTimeIsOver(language: ClientLanguage) throws {
        try language.require()
        let daemon = try RunningDaemon(Self.configuration)
        let program = try language.run("wait", asking: daemon.socket, in: daemon.directory)
        let client = try daemon.connect()
        try {
            let leaving = try daemon.connect()
            try leaving.send("n:/app/wait\n")
            try daemon.ask("n:/echo", on: client) { try program.output.contains("begun") }
        }()
        // Only one handler runs at a time.
        expect(try client.ask("n:/app/ping"), equals: "xcallback://x-callback-url/success")
        expect(try client.ask("n:/brief")) { $0?.contains("errorCode=504") == true }
        expect(try client.ask("n:/app/ping"), equals: "xcallback://x-callback-url/success")
        try daemon.ask("n:/echo", on: client) { try program.output.contains("cancelled /brief") }
        let lines = try program.output.split(separator: "\n")
        #expect(lines == ["begun /app/wait", "cancelled /app/wait", "begun /brief", "cancelled /brief"])
    }

    @Test(arguments: ClientLanguage.allCases)
    func aSubscriptionOutlivesTheDaemonAndReportsLostEvents(language: ClientLanguage) throws {
        try language.require()
        let configuration = Self.configuration.replacing("routes:", with: "limits: { queued-output: 8KiB }\nroutes:")
        let site = try DaemonSite(configuration, keepsSocket: false)
        var daemon = try site.start()
        try daemon.waitUntilReady()
        let program = try language.run("events", asking: site.path, in: site.directory)
        for round in 1...2 {
            let client = try site.connect()
            try daemon.ask("n:/one?v=\(round)", on: client) { try program.output.contains("t.one \(round)\n") }
            try daemon.ask("n:/two?v=\(round)", on: client) { try program.output.contains("t.two \(round)\n") }
            if round == 1 { daemon = try site.restart(daemon) }
        }
        expect(try program.output) { !$0.contains("missed") }
        let client = try site.connect()
        try program.pause()
        let text = String(repeating: "a", count: 4_000)
        for _ in 0..<300 { _ = try client.ask("n:/one?v=\(text)") }
        program.send(signal: SIGCONT)
        try daemon.ask("n:/one?v=end", on: client) { try program.output.contains("t.one end\n") }
        expect(try program.output, "\(program.errors)") { $0.contains("missed\n") }
    }

    @Test(arguments: ClientLanguage.allCases)
    func onlyACallThatWasNotReadIsRepeated(language: ClientLanguage) throws {
        try language.require()
        let directory = try TemporaryDirectory()
        let connections = Atomic(0)
        let server = try SocketServer(directory.path(of: "socket"), patience: 600) { socket in
            let number = connections.add(1, ordering: .relaxed).newValue
            if number == 1 { return try socket.waitForInput() }
            var received: [UInt8] = []
            while !received.contains(0) { _ = try socket.receive(into: &received) }
            if number == 2 { try socket.send(Array(#"{"parameters":{"outcome":"success","items":[]}}"#.utf8) + [0]) }
        }
        let program = try language.run("cut", asking: directory.path(of: "socket"), in: directory)
        expect(try program.wait(), equals: 0, "\(program.errors)")
        expect(try program.output, equals: "unread succeeded\nunanswered Unanswered\n")
        #expect(connections.load(ordering: .relaxed) == 3)
        withExtendedLifetime(server) {}
    }

    @Test(arguments: ClientLanguage.allCases)
    func noErrorIsSeenIfTheSocketStays(language: ClientLanguage) throws {
        try language.require()
        let faults = try RestartsUnderLoad(signal: SIGTERM, keepsSocket: true).faults {
            try language.run("load", "echo", "slow", asking: $0.path, in: $0.directory)
        }
        #expect(faults == [])
    }

    @Test(arguments: ClientLanguage.allCases)
    func whatWasReadIsNeverSentTwice(language: ClientLanguage) throws {
        try language.require()
        let faults = try RestartsUnderLoad(signal: SIGKILL, keepsSocket: false).faults {
            try language.run("load", "app", "echo", asking: $0.path, in: $0.directory)
        }
        // Requests that the killed daemon had read, and those for which the next one came too late.
        #expect(Set(faults).subtracting(["Unanswered", "Unread"]) == [])
    }

    @Test(.enabled(if: geteuid() == 0, "only root may become another user"), arguments: ClientLanguage.allCases)
    func nothingIsSentToTheSocketOfAnotherUser(language: ClientLanguage) throws {
        try language.require()
        let server = try ForeignServer()
        let program = try language.run("untrusted", asking: server.socket, in: server.directory)
        expect(try program.wait(), equals: 0, "\(program.errors)")
        expect(try program.output, equals: "untrusted Untrusted\n")
        expect(try server.end(), equals: "")
    }

    @Test(arguments: ClientLanguage.allCases)
    func theProgramsOfTheDocumentDoWhatTheySay(language: ClientLanguage) throws {
        try language.require()
        try ClientDocument(file: "Docs/HowTo/WriteAClient.md", language: language.block).check { text, daemon in
            try language.run(program: text, asking: daemon.socket, in: daemon.directory)
        }
    }
}
