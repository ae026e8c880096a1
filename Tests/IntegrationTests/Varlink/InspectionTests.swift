import Glibc
import Testing
import XCallbackTesting
import XCallbackWire

/// Calls that are slow with many routes, and clients that send many of them.
@Suite(.blocking, .timeLimit(.minutes(10)))
struct InspectionTests {
    private static func daemon(routeCount: Int) throws -> RunningDaemon {
        let routes = (0..<routeCount).map { "  - { route: \"app:/r\($0)/:id\", respond: {} }\n" }
        return try RunningDaemon("schemes: [app]\nroutes:\n\(routes.joined())  - { route: app:/ping, respond: {} }\n")
    }

    @Test(arguments: ["Explain", "Routes"])
    func clientsThatAskAndLeaveCostNothing(method: String) throws {
        let daemon = try Self.daemon(routeCount: 2000)
        let client = try daemon.connect()
        _ = try client.ask("app:/ping")
        let (descriptors, memory) = (try daemon.state.descriptorCount, try daemon.state.residentSize)
        let parameters: JSONValue = method == "Explain" ? ["url": "app:/r1/a"] : [:]
        for _ in 0..<2000 { try RouterClient(daemon.socket).send(method, parameters) }
        // Each ping is a turn of the loop, which notices the closed connections; Dispatch keeps a few descriptors of its own.
        try daemon.ask("app:/ping", on: client) { try daemon.state.descriptorCount <= descriptors + 4 }
        #expect(try daemon.state.residentSize - memory < 16 << 20)
        let reply = try RouterClient(daemon.socket).call(method, parameters)
        #expect(reply["explanation"] != nil || reply["routes"] != nil)
    }

    /// Whatever the number of clients that watch the routes, the user's other calls are answered.
    @Test func watchesHoldNobodyUp() throws {
        let daemon = try Self.daemon(routeCount: 300)
        let watches = try (0..<40).map { _ in try RouterClient(daemon.socket) }
        let own = try RouterClient(daemon.socket)
        for client in watches + [own] { _ = try client.call("Status") }
        func takeLists() throws {
            for client in watches { #expect(try client.reply()["routes"] != nil) }
        }
        // All of them arrive in one turn.
        try daemon.process.pause()
        for client in watches { try client.send("Routes", mode: .more) }
        try own.send("Explain", ["url": "app:/r1/a"])
        daemon.process.send(signal: SIGCONT)
        #expect(try own.reply()["explanation"] != nil)
        try takeLists()
        try daemon.reload("schemes: [app]\nroutes: [{ route: app:/ping, respond: {} }]\n")
        try takeLists()
        try daemon.process.pause()
        let others = try (0..<3).map { _ in try RouterClient(daemon.socket) }
        for client in others { try client.send("Routes", mode: .more) }
        daemon.process.send(signal: SIGCONT)
        for client in others { #expect(try client.reply()["routes"] != nil) }
    }

    @Test(.enabled(if: geteuid() == 0, "only root may become another user"))
    func whatAnotherUserAsksForHoldsNobodyUp() throws {
        let daemon = try Self.daemon(routeCount: 20)
        daemon.admitOtherUsers()
        let results = daemon.directory.path(of: "results")
        let ready = daemon.directory.path(of: "ready")
        // Ten connections of another user, each with one call: one runs, four wait, the others exceed the limit.
        let script = """
            import json, socket, sys
            def call(connection, method, **parameters):
                message = json.dumps({"method": "org.xcallback.Router." + method, "parameters": parameters})
                connection.sendall(message.encode() + b"\\0")
            def reply(connection):
                bytes = b""
                while not bytes.endswith(b"\\0"):
                    bytes += connection.recv(65536)
                return json.loads(bytes[:-1])
            connections = []
            for _ in range(10):
                connection = socket.socket(socket.AF_UNIX)
                connection.connect(sys.argv[1])
                call(connection, "Status")
                reply(connection)
                connections.append(connection)
            print("connected", file=sys.stderr, flush=True)
            sys.stdin.readline()
            for connection in connections:
                call(connection, "Explain", url="app:/r1/a")
            print("sent", file=sys.stderr, flush=True)
            for connection in connections:
                answer = reply(connection)
                print(answer.get("error", "done"), json.dumps(answer["parameters"].get("limit")))
            """
        let pipe = daemon.directory.path(of: "pipe")
        try #require(mkfifo(pipe, 0o666) == 0)
        let go = open(pipe, O_RDWR | O_CLOEXEC)
        defer { close(go) }
        let other = try ChildProcess(
            [
                "/usr/bin/setpriv", "--reuid", "65534", "--clear-groups", "python3", "-c", script, daemon.socket,
            ], environment: ["PATH=/usr/bin:/bin"], input: pipe, output: results, error: ready)
        let client = try daemon.connect()
        try daemon.ask("app:/ping", on: client) { try daemon.directory.text(of: "ready").contains("connected") }
        let own = try RouterClient(daemon.socket)
        _ = try own.call("Status")
        // All of them arrive in one turn.
        try daemon.process.pause()
        _ = try TestFailure.check("write", Int32(write(go, "\n", 1)))
        while try !daemon.directory.text(of: "ready").contains("sent") { sched_yield() }
        try own.send("Explain", ["url": "app:/r1/a"])
        daemon.process.send(signal: SIGCONT)
        #expect(try own.reply()["explanation"] != nil)
        #expect(try other.wait() == 0)
        let lines = try daemon.directory.text(of: "results").split(separator: "\n")
        #expect(lines == Array(repeating: "done null", count: 10))
    }
}
