import Glibc
import Testing
import XCallbackTesting

/// Clients that want more connections than the limit.
@Suite(.blocking, .timeLimit(.minutes(10)))
struct LimitTests {
    private static let answer = "xcallback://x-callback-url/success?pong=1"

    static let limits = [
        ("connections: 5", "connection refused: too many connections"),
        ("connections: 5", "connection refused: too many connections of a user"),
    ]

    @Test(arguments: limits)
    func whoIsOverTheLimitIsClosedAndTheOthersAreServed(limit: String, message: String) throws {
        let daemon = try RunningDaemon(StartStopTests.configuration + "limits: { \(limit) }\n")
        let clients = try (0..<5).map { _ in try daemon.connect() }
        for client in clients { #expect(try client.ask("notes:/ping") == Self.answer) }
        for _ in 0..<100 { #expect(try daemon.connect().readLine() == nil) }
        for client in clients { #expect(try client.ask("notes:/ping") == Self.answer) }
        let lines = try daemon.log.split(separator: "\n").filter { $0.contains(message) }
        #expect(lines.count == 100)
        #expect(lines.first?.contains("limit=5") == true)
        #expect(lines.first?.contains("limits: \(limit.prefix { $0 != ":" })") == true)
        #expect(lines.first?.contains("peer.uid=\(geteuid())") == true)
    }

    @Test
    func aPlaceThatIsFreeAgainIsGivenAway() throws {
        let daemon = try RunningDaemon(StartStopTests.configuration + "limits: { connections: 1 }\n")
        for _ in 0..<50 {
            let client = try daemon.connect()
            #expect(try client.ask("notes:/ping") == Self.answer)
            client.endSending()
            #expect(try client.readLine() == nil)
        }
    }

    @Test
    func aDaemonWithFewDescriptorsRefusesWhatItCannotServe() throws {
        let daemon = try RunningDaemon(StartStopTests.configuration, descriptorLimit: 64)
        var clients: [LineClient] = []
        while true {
            let client = try daemon.connect()
            guard try client.askIfServed("notes:/ping") == Self.answer else { break }
            clients.append(client)
            try #require(clients.count < 64)
        }
        // The daemon's own user may have seven eighths of the rest.
        #expect(clients.count == 28)
        let start = try daemon.facts.processorTime
        for _ in 0..<200 { #expect(try daemon.connect().readLine() == nil) }
        for client in clients { #expect(try client.ask("notes:/ping") == Self.answer) }
        // Two hundred rejections and 28 answers take some milliseconds; a busy loop takes all processor time.
        #expect(try daemon.facts.processorTime - start < .milliseconds(500))
        clients = []
        let last = try daemon.connectServed("notes:/ping")
        #expect(try last.ask("notes:/ping") == Self.answer)
        #expect(try daemon.stop() == 0)
    }

    @Test
    func aDaemonOutOfDescriptorsWaitsWithoutSpinning() throws {
        let daemon = try RunningDaemon(StartStopTests.configuration)
        let first = try daemon.connect()
        #expect(try first.ask("notes:/ping") == Self.answer)
        // No descriptor is free below those in use.
        try daemon.limitDescriptors(to: 6)
        let second = try daemon.connect()
        try second.send("notes:/ping\n")
        // The daemon retries to accept every tenth of a second, and reports it once a second.
        try daemon.ask("notes:/ping", on: first) { try daemon.log.contains("cannot accept connections") }
        let start = try daemon.facts.processorTime
        let silent = Pause(seconds: 2)
        #expect(try daemon.facts.processorTime - start < .milliseconds(200))
        #expect(silent.hasPassed)
        #expect(try first.ask("notes:/ping") == Self.answer)
        #expect(try daemon.log.split(separator: "\n").count { $0.contains("cannot accept connections") } <= 5)
        try daemon.limitDescriptors(to: 1024)
        #expect(try second.readLine() == Self.answer)
    }

    @Test
    func aDaemonThatStartsAProgramWaitsWithoutSpinning() throws {
        let directory = try TemporaryDirectory()
        let program = try HeldProgram("/bin/true", in: directory)
        let daemon = try RunningDaemon(
            """
            schemes: [run]
            routes:
              - route: run:/held
                exec: [\(program.path)]
              - route: run:/waits
                exec: [cat, \(directory.path)/pipe]
              - route: run:/ping
                respond: {}
            """)
        try #require(mkfifo(directory.path(of: "pipe"), 0o600) == 0)
        let waiting = try daemon.connect()
        try waiting.send("run:/waits\n")
        let pipe = open(directory.path(of: "pipe"), O_WRONLY | O_CLOEXEC)
        let held = try daemon.connect()
        try held.send("run:/held\n")
        while !program.isAsync { sched_yield() }
        let client = try daemon.connect()
        #expect(try client.ask("run:/ping") == "xcallback://x-callback-url/success")
        // A process that is about to become a program has a copy of each descriptor. Here, this process simulates it.
        let copies = try daemon.facts.copyDescriptors()
        defer { for copy in copies { close(copy) } }
        let count = try daemon.facts.descriptorCount
        client.endSending()
        while try daemon.facts.descriptorCount == count { sched_yield() }
        close(pipe)
        #expect(try waiting.readLine() == "xcallback://x-callback-url/success?result=")
        let start = try daemon.facts.processorTime
        _ = Pause(seconds: 1)
        #expect(try daemon.facts.processorTime - start < .milliseconds(100))
        program.letGo()
        #expect(try held.readLine() == "xcallback://x-callback-url/success?result=")
    }

    @Test(arguments: ["detached", "delivered"])
    func aProgramThatIsSlowToStartHoldsUpNobody(action: String) throws {
        let directory = try TemporaryDirectory()
        let program = try HeldProgram("/bin/true", in: directory)
        let daemon = try RunningDaemon(
            """
            schemes: [run]
            routes:
              - { route: "run:/detached", exec: ["\(program.path)"], detach: true }
              - { route: "run:/delivered", deliver: name, start: ["\(program.path)"], wait: 100ms }
              - { route: "run:/ping", respond: {} }
            """)
        let held = try daemon.connect()
        try held.send("run:/\(action)\n")
        while !program.isAsync { sched_yield() }
        let client = try daemon.connect()
        for _ in 0..<100 { #expect(try client.ask("run:/ping") == "xcallback://x-callback-url/success") }
        program.letGo()
        let answer = try held.readLine()
        #expect(answer?.contains(action == "detached" ? "/success" : "No%20application%20can%20handle%20this") == true)
        #expect(try daemon.stop() == 0)
    }

    @Test
    func anIdleDaemonDoesNothing() throws {
        let daemon = try RunningDaemon(StartStopTests.configuration + "limits: { first-byte: 100ms }\n")
        let client = try daemon.connect()
        #expect(try client.ask("notes:/ping") == Self.answer)
        let half = try daemon.connect()
        try half.send("notes:/pin")
        half.endSending()
        _ = try half.readToEnd()
        // Work that was begun with the start has ended by then.
        _ = Pause(seconds: 2)
        let switches = try daemon.facts.voluntarySwitches
        let time = try daemon.facts.processorTime
        _ = Pause(seconds: 3)
        // A busy loop sleeps far more often, or never.
        #expect(try daemon.facts.voluntarySwitches - switches < 10)
        #expect(try daemon.facts.processorTime - time < .milliseconds(50))
        #expect(try client.ask("notes:/ping") == Self.answer)
    }
}

/// A period in which a test only observes.
private struct Pause {
    let hasPassed: Bool

    init(seconds: Int32) {
        // The absence of an event cannot be awaited, only a period.
        hasPassed = poll(nil, 0, seconds * 1000) == 0
    }
}

extension LineClient {
    /// Sends a line and returns the answer; nil if the daemon has rejected the client.
    fileprivate func askIfServed(_ line: String) throws -> String? {
        let bytes = Array("\(line)\n".utf8)
        _ = try bytes.withUnsafeBytes { try trySend($0) }
        return try readLine()
    }
}

extension RunningDaemon {
    /// Connects until the daemon has room; it notices disconnected clients at its own pace.
    fileprivate func connectServed(_ line: String) throws -> LineClient {
        for _ in 0..<1000 {
            let client = try connect()
            if try client.askIfServed(line) != nil { return client }
        }
        throw TestFailure("no place is free again")
    }

    /// Changes the daemon's descriptor limit.
    func limitDescriptors(to count: Int) throws {
        let program = try ChildProcess(
            ["/usr/bin/prlimit", "--pid", "\(process.id)", "--nofile=\(count):"],
            output: "/dev/null", error: directory.path(of: "complaints"))
        guard try program.wait() == 0 else { throw TestFailure("prlimit: \(try directory.text(of: "complaints"))") }
    }
}
