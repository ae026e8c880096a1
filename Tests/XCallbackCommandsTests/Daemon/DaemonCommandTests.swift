import Glibc
import TestSupport
import Testing

/// The commands that ask the daemon about itself, with the real one.
@Suite(.blocking)
struct DaemonCommandTests {
    private static let configuration = """
        schemes: [notes, todo]
        routes:
          - route: todo:/hello/:name
            redirect: "notes:/ping/{name}"
          - route: notes:/ping/:name
            public: true
            respond: { pong: "{name}" }
          - route: notes:/slow
            exec: [cat]

        """

    private let workspace: CommandWorkspace

    init() throws {
        workspace = try CommandWorkspace()
        try workspace.startDaemon(Self.configuration)
    }

    @Test func routesAreThoseOfTheDaemon() throws {
        let json = try ask("routes", "--json")
        #expect(json.output.hasPrefix(#"[{"route":"todo:/hello/:name","scheme":"todo","pattern":"/hello/:name","#))
        // What the daemon says is what the configuration says.
        #expect(json == (try workspace.run("routes", "--json", "--config", "daemon.yaml")))
    }

    @Test(arguments: [["notes:/ping/ada"], ["--origin", "desktop", "todo:/hello/a?x-success=app:/s"], ["notes:/no"]])
    func theDaemonExplainsAsTheConfigurationDoes(arguments: [String]) throws {
        let text = try workspace.run(["explain", "--socket", workspace.socket] + arguments)
        #expect(text.status == 0)
        let other = try workspace.run(["explain", "--config", "daemon.yaml"] + arguments)
        #expect(text == other)
        let json = try workspace.run(["explain", "--json", "--socket", workspace.socket] + arguments)
        #expect(json.output.hasPrefix(#"{"url":"\#(arguments.last ?? "")","origin":""#), "\(json)")
    }

    @Test func reloadTellsTheDifferenceOnceItHolds() throws {
        expect(try ask("reload"), equals: ProgramResult(status: 0, output: "3 routes: as before\n"))
        try workspace.write(
            """
            schemes: [notes, todo]
            routes:
              - route: notes:/new
                respond:
              - route: notes:/ping/:name
                public: true
                respond: { pung: "{name}" }
              - route: notes:/slow
                exec: [cat]
            log: { level: error }
            """, to: "daemon.yaml")
        let difference = """
            3 routes: 1 added, 1 removed, 1 changed
            + notes:/new
            - todo:/hello/:name
            ~ notes:/ping/:name
            changed settings: log

            """
        expect(try ask("reload"), equals: ProgramResult(status: 0, output: difference))
        expect(try workspace.open("notes:/ping/ada").output, equals: "pung=ada\n")
        let json = #"{"routes":3,"added":[],"removed":[],"changed":[],"settings":[],"warnings":[]}"#
        expect(try ask("reload", "--json"), equals: ProgramResult(status: 0, output: json + "\n"))
        expect(try ask("reload", "--quiet"), equals: ProgramResult(status: 0))
    }

    @Test func faultsKeepTheConfigurationThatWasThere() throws {
        try workspace.write(Self.configuration + "routs: 1\n", to: "daemon.yaml")
        let errors = """
            daemon.yaml:10:1: unknown key 'routs' in a configuration; did you mean 'routes'?
            xcallback: the configuration has faults and was not loaded: nothing has changed

            """
        expect(try ask("reload"), equals: ProgramResult(status: 1, errors: errors))
        let report =
            #"{"faults":[{"file":"daemon.yaml","line":10,"column":1,"#
            + #""message":"unknown key 'routs' in a configuration; did you mean 'routes'?"}]}"#
        expect(try ask("reload", "--json"), equals: ProgramResult(status: 1, output: report + "\n", errors: errors))
        expect(try ask("reload", "--quiet"), equals: ProgramResult(status: 1))
        expect(try workspace.open("notes:/ping/ada").output, equals: "pong=ada\n")
        #expect(
            try ask("status").output.contains(
                "3; a newer configuration has faults and is not served: run 'xcallback check'\n"))
    }

    @Test func whatIsAskedIsMonitored() throws {
        let monitor = try workspace.start("monitor", "--socket", workspace.socket)
        // The title comes when the watch has begun.
        expect(try monitor.readLine()) { $0.hasPrefix("TIME ") }
        _ = try workspace.open("notes:/ping/ada", "notes:/slow", "notes:/no?a=b")
        let rows = try (0..<4).map { _ in
            try monitor.readLine().split(separator: " ", omittingEmptySubsequences: true).map(String.init)
        }
        #expect(rows.map { $0[1] } == ["success", "waits", "success", "error"], "\(rows)")
        #expect(rows.map { $0.contains("notes:/slow") } == [false, true, true, false])
        #expect(rows[3].contains("404") && !rows[3].contains { $0.contains("a=b") })
        // Each has the id that 'log' takes, which a request shares with its answer.
        let ids = rows.map { $0.first { $0.wholeMatch(of: /[0-9a-z]{8}-[0-9]+/) != nil } }
        #expect(!ids.contains(nil) && ids[1] == ids[2] && Set(ids).count == 3, "\(rows)")
    }

    static let badFilters: [(arguments: [String], status: Int32, message: String)] = [
        (["--route", "notes:/other"], 6, "the daemon has no route 'notes:/other'"),
        (["--peer", "no.such.user"], 64, "There is no user 'no.such.user'."), (["--peer", "/"], 64, "'/' is invalid"),
        (["--peer", "0/x"], 64, "'0/x' is invalid"), (["--peer", "/-1"], 64, "'/-1' is invalid"),
        (["--outcome", "failure"], 64, "'failure' is invalid"),
    ]

    @Test(arguments: badFilters)
    func aFilterThatCannotBeMeantIsReported(arguments: [String], status: Int32, message: String) throws {
        let result = try workspace.run(["monitor", "--socket", workspace.socket] + arguments)
        #expect(result.status == status)
        #expect(result.errors.contains(message), "\(result.errors)")
    }

    @Test func aMonitorEndsWithItsReader() throws {
        let monitor = try workspace.start("monitor", "--json", "--values", "--socket", workspace.socket)
        var line: String?
        // The watch begins unseen: until then, events are made.
        while line == nil {
            _ = try workspace.open("notes:/ping/ada?a=b")
            line = try monitor.readLineNow()
        }
        #expect(line?.hasPrefix(#"{"kind":"answer","time":"#) == true, "\(line ?? "")")
        #expect(line?.contains("a=b") == true)
        try monitor.stopReading()
        // Until a program that another test starts executes, it has a copy of the pipe.
        repeat { _ = try workspace.open("notes:/ping/ada") } while !monitor.endsNow()
        expect(try monitor.finish().status, equals: 0)
    }

    private func ask(_ arguments: String...) throws -> ProgramResult {
        let words = arguments.prefix(1) + ["--socket", workspace.socket] + arguments.dropFirst()
        return try workspace.run(Array(words))
    }
}
