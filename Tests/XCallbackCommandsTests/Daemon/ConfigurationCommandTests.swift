import Glibc
import TestSupport
import Testing
import XCallbackWire

/// `xcallback check` and `xcallback routes`.
@Suite(.blocking)
struct ConfigurationCommandTests {
    private static let good = """
        schemes: [notes, todo]
        middleware: [log]
        routes:
          - route: notes:/ping{/:name}
            public: true
            respond: { pong: "{name}" }

          - route: todo:/hello/:name
            redirect: "notes:/ping/{name}"
          - route: notes:/a
            policies: [{ rate: 10/s }, { user: self }]
            respond:
        """
    private static let bad = """
        schemes: [notes]
        routs: 1
        routes:
          - route: notes:/a
            publc: true
            respond:

        """
    private static let faults = """
        c.yaml:2:1: unknown key 'routs' in a configuration; did you mean 'routes'?
          2 | routs: 1
            | ^~~~~
        c.yaml:5:5: unknown key 'publc' in a route; did you mean 'public'?
          5 |     publc: true
            |     ^~~~~
        2 faults in 1 file

        """

    private let workspace: CommandWorkspace

    init() throws { workspace = try CommandWorkspace() }

    @Test func aGoodConfigurationIsSummedUp() throws {
        try workspace.write(Self.good, to: "c.yaml")
        let result = try workspace.run("check", "c.yaml")
        #expect(result == ProgramResult(status: 0, output: "valid: 3 routes for notes, todo\n"))
    }

    static let readers = [
        ["check", "c.yaml"], ["check", "--config", "c.yaml"],
        ["routes", "--config", "c.yaml"], ["explain", "--config", "c.yaml", "notes:/a"],
    ]

    @Test(arguments: readers)
    func allFaultsAreReportedAtOnce(arguments: [String]) throws {
        try workspace.write(Self.bad, to: "c.yaml")
        let result = try workspace.run(arguments)
        #expect(result == ProgramResult(status: 78, errors: Self.faults))
    }

    @Test(arguments: [["routes"], ["explain", "notes:/a"]])
    func faultsAreJSONForWhoeverAsksForIt(arguments: [String]) throws {
        try workspace.write(Self.bad, to: "c.yaml")
        let words = arguments + ["--config", "c.yaml", "--json"]
        let result = try workspace.run(words)
        let report =
            #"{"faults":[{"file":"c.yaml","line":2,"column":1,"message":"unknown key 'routs' in a configuration; "#
            + #"did you mean 'routes'?","other":null},{"file":"c.yaml","line":5,"column":5,"message":"unknown key "#
            + #"'publc' in a route; did you mean 'public'?","other":null}]}"#
        #expect(result == ProgramResult(status: 78, output: report + "\n", errors: Self.faults))
    }

    @Test func warningsDoNotFailAndAreOnStandardError() throws {
        try workspace.write("schemes: [notes]\nroutes:\n- route: /a\n  exec: [/no-such-program]\n", to: "c.yaml")
        let errors = """
            c.yaml:4:10: warning: '/no-such-program' does not exist
              4 |   exec: [/no-such-program]
                |          ^~~~~~~~~~~~~~~~
            1 warning in 1 file

            """
        let output = "valid: 1 route for notes\n"
        expect(try workspace.run("check", "c.yaml"), equals: ProgramResult(status: 0, output: output, errors: errors))
        let report =
            #"{"valid":true,"routes":1,"faults":[],"warnings":[{"file":"c.yaml","line":4,"column":10,"#
            + #""message":"'/no-such-program' does not exist","other":null}],"unchecked":[],"daemon":false,"refusal":null,"reads":null}"#
        expect(try workspace.run("check", "--json", "c.yaml"), equals: ProgramResult(status: 0, output: report + "\n"))
    }

    @Test func defaultsThatAreEmptyAreSeen() throws {
        let input =
            "{ a: { default: '' }, b: { default: x }, c: { type: list, default: [] }, d: { type: list, default: [x, ''] } }"
        try workspace.write("schemes: [n]\nroutes: [{ route: n:/a, input: \(input), respond: }]\n", to: "c.yaml")
        let result = try workspace.run("routes", "--config", "c.yaml", "n:/a")
        let parameters = """
            parameters
              a  string (default: '')                  optional
              b  string (default: x)                   optional
              c  list of string (default: empty list)  optional
              d  list of string (default: x, '')       optional

            """
        #expect(result.output.contains(parameters), "\(result.output)")
    }

    @Test func faultsAreJSONToo() throws {
        try workspace.write(
            "schemes: [notes]\nroutes:\n- route: /a\n  respond:\n- route: /a\n  respond:\n", to: "c.yaml")
        let report =
            #"{"valid":false,"routes":0,"faults":[{"file":"c.yaml","line":5,"column":10,"#
            + #""message":"two routes answer the same URL with equal rank, for example notes:/a","#
            + #""other":"c.yaml:3:10"}],"warnings":[],"unchecked":[],"daemon":false,"refusal":null,"reads":null}"#
        expect(try workspace.run("check", "c.yaml", "--json"), equals: ProgramResult(status: 78, output: report + "\n"))
    }

    @Test func routesAreATreeInTheOrderOfTheFile() throws {
        try workspace.write(Self.good, to: "c.yaml")
        let tree = """
            ROUTE            ACCESS   POLICIES    HANDLER
            notes
              /ping{/:name}  public   -           respond
              /a             private  rate, user  respond
            todo
              /hello/:name   private  -           redirect

            """
        expect(try workspace.run("routes", "--config", "c.yaml"), equals: ProgramResult(status: 0, output: tree))
        let places = try workspace.run("routes", "--places", "--config", "c.yaml").output
        #expect(places.hasPrefix("ROUTE            ACCESS   POLICIES    HANDLER   MIDDLEWARE  PLACE\n"), "\(places)")
        #expect(places.contains("  /a             private  rate, user  respond   log         c.yaml:10\n"), "\(places)")
    }

    @Test func titlesStandBesideTheirRoutes() throws {
        try workspace.write("schemes: [n]\nroutes: [{ route: n:/a, title: An action, respond: }]\n", to: "c.yaml")
        let tree = "ROUTE  TITLE      ACCESS   POLICIES  HANDLER\nn\n  /a   An action  private  -         respond\n"
        expect(try workspace.run("routes", "--config", "c.yaml"), equals: ProgramResult(status: 0, output: tree))
    }

    @Test func routesAreOneJSONArray() throws {
        try workspace.write(Self.good, to: "c.yaml")
        let beginnings = [
            #"{"route":"notes:/ping{/:name}","scheme":"notes","pattern":"/ping{/:name}","syntax":"callback","public":true,"#
                + #""middleware":["log"],"policies":[],"handler":"respond","target":null,"place":"c.yaml:4","#,
            #"{"route":"todo:/hello/:name","scheme":"todo","pattern":"/hello/:name","syntax":"callback","public":false,"#
                + #""middleware":["log"],"policies":[],"handler":"redirect","target":null,"place":"c.yaml:8","#,
            #"{"route":"notes:/a","scheme":"notes","pattern":"/a","syntax":"callback","public":false,"#
                + #""middleware":["log"],"policies":["rate","user"],"handler":"respond","target":null,"place":"c.yaml:10","#,
        ]
        let result = try workspace.run("routes", "--config", "c.yaml", "--json")
        #expect(result.status == 0)
        let routes = try #require(
            try JSONValue(parsing: result.output.utf8.span, maximumSize: result.output.utf8.count).elements)
        #expect(routes.count == 3)
        for (route, beginning) in zip(routes, beginnings) { #expect(route.description.hasPrefix(beginning)) }
    }

    @Test func outputThatCannotBeWrittenIsAFailure() throws {
        try workspace.write(Self.good, to: "c.yaml")
        let command = try workspace.start("check", "c.yaml", output: "/dev/full")
        let errors = "xcallback: cannot write the output: No space left on device\n"
        expect(try command.finish(), equals: ProgramResult(status: 74, errors: errors))
    }
}
