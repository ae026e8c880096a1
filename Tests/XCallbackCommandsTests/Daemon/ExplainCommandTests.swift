import Glibc
import Testing

/// `xcallback explain`.
@Suite(.timeLimit(.minutes(10)))
struct ExplainCommandTests {
    private static let configuration = """
        schemes: [notes, todo]
        middleware: [log]
        routes:
          - route: notes:/notes/:id
            input: { id: int }
            policies: [{ rate: 10/m }, { user: 4711 }]
            exec: [/bin/rm, -r, --, "/nowhere/{id}"]
          - route: notes:/notes/:title
            public: true
            respond: { title: "{title}" }
          - route: todo:/see/:n
            public: true
            input: { n: int }
            redirect: "notes:/notes/{n}"
        """

    private static func explain(_ arguments: String...) throws -> ProgramResult {
        let workspace = try CommandWorkspace()
        try workspace.write(configuration, to: "c.yaml")
        let words = ["explain", "--config", "c.yaml"] + arguments
        return try SpawnedProgram("xcallback", words, in: workspace.directory).finish()
    }

    @Test func eachHopIsTold() throws {
        let text = """
            URL   todo:/see/7
            from  user 4711 (desktop)
            action  /see/7

            routes
              todo:/see/:n  answers (c.yaml:11)
            captures
              n = 7
            stages
              middleware log: goes on
                writes a line to the log once there is an answer
              input: goes on
              handler redirect: answers: redirect to notes://x-callback-url/notes/7
            parameters
              n = 7

            redirected to notes://x-callback-url/notes/7
            action  /notes/7

            routes
              notes:/notes/:id     answers (c.yaml:4)
              notes:/notes/:title  matches, but it is less specific than notes:/notes/:id: segment 2 has fewer captures \
            with a type
            captures
              id = 7
            stages
              middleware log: goes on
                writes a line to the log once there is an answer
              policy rate: verified
                lets 10 in 1m pass per user; this one is not counted
              policy user: verified
                lets 4711 pass
              input: goes on
              handler exec: open
                the output of the program and its exit status are the answer
                would run: /bin/rm -r -- /nowhere/7
            parameters
              id = 7

            ends in
              open: depends on a stage
            answers
              success  xcallback://x-callback-url/success (and what the handler adds)
              error    xcallback://x-callback-url/error (and errorCode, errorMessage)
              cancel   xcallback://x-callback-url/cancel

            """
        let result = try Self.explain("--origin", "desktop", "--peer", "4711", "--group", "0", "todo:/see/7")
        #expect(result == ProgramResult(status: 0, output: text))
    }

    @Test func aRefusalNamesItsRule() throws {
        let result = try Self.explain("--peer=0", "--origin=desktop", "notes:/notes/7?x-error=notes:/e")
        #expect(result.status == 0)
        let ending = """
            routes
              notes:/notes/:id     answers (c.yaml:4)
              notes:/notes/:title  matches, but it is less specific than notes:/notes/:id: segment 2 has fewer captures \
            with a type
            captures
              id = 7

            ends in
              error 403: This action is private: the desktop may ask only for routes with 'public: true'.
            answers
              success  xcallback://x-callback-url/success (and what the handler adds)
            * error    notes:/e?errorCode=403&errorMessage=This%20action%20is%20private%3A%20the%20desktop%20may%20ask%20\
            only%20for%20routes%20with%20%27public%3A%20true%27.
              cancel   xcallback://x-callback-url/cancel

            """
        #expect(result.output.hasSuffix(ending), "\(result.output)")
        #expect(try Self.explain("--peer=0", "notes:/notes/7").output.contains("policy user: refuses: error 403: "))
    }

    @Test func severalGroupsCanBeNamed() throws {
        let workspace = try CommandWorkspace()
        let route = "schemes: [notes]\nroutes:\n- route: /a\n  policies: [{ group: 7 }]\n  respond:\n"
        try workspace.write(route, to: "c.yaml")
        for (groups, verdict) in [(["8"], "refuses: error 403"), (["8", "7"], "verified"), (["7"], "verified")] {
            let words = ["explain", "--config", "c.yaml", "notes:/a"] + groups.flatMap { ["--group", $0] }
            let result = try SpawnedProgram("xcallback", words, in: workspace.directory).finish()
            #expect(result.output.contains("policy group: \(verdict)"))
        }
    }

    @Test func valuesCannotSteerATerminal() throws {
        let output = try Self.explain("notes:/notes/%1b%5B2J%0Aends?x-source=%1b").output
        #expect(output.contains("title = <U+001B>[2J<U+000A>ends"))
        #expect(output.utf8.allSatisfy { $0 >= 0x20 || $0 == 0x0A })
    }

    @Test func jsonHasItAll() throws {
        let text =
            #"{"url":"notes:/notes/a?x-success=app:/s","origin":"socket","peer":{"uid":0,"gid":7,"pid":0},"fault":null,"#
            + #""hops":[{"url":"notes:/notes/a?x-success=app:/s","action":"/notes/a","origin":"socket","candidates":["#
            + #"{"route":"notes:/notes/:title","place":"c.yaml:8","verdict":"answers","reason":null},"#
            + #"{"route":"notes:/notes/:id","place":"c.yaml:4","verdict":"differs","#
            + #""reason":"segment 2 is 'a', but 'id' must be a whole number"}],"omitted":0,"#
            + #""route":"notes:/notes/:title","captures":[{"name":"title","value":"a"}],"stages":["#
            + #"{"kind":"middleware","name":"log","verdict":"proceeds","response":null,"#
            + #""notes":["writes a line to the log once there is an answer"],"changes":[],"command":null},"#
            + #"{"kind":"handler","name":"respond","verdict":"ends","#
            + #""response":{"outcome":"success","items":[{"name":"title","value":"a"}]},"#
            + #""notes":[],"changes":[],"command":null}],"parameters":[{"name":"title","value":"a"}],"#
            + #""response":{"outcome":"success","items":[{"name":"title","value":"a"}]}}],"#
            + #""response":{"outcome":"success","items":[{"name":"title","value":"a"}]},"certain":true,"answers":["#
            + #"{"outcome":"success","url":"app:/s?title=a","complete":true},"#
            + #"{"outcome":"error","url":"xcallback://x-callback-url/error","complete":false},"#
            + #"{"outcome":"cancel","url":"xcallback://x-callback-url/cancel","complete":true}],"hints":[]}"#
        let result = try Self.explain("--json", "--peer", "root", "--group", "7", "notes:/notes/a?x-success=app:/s")
        #expect(result == ProgramResult(status: 0, output: text + "\n"))
    }

    @Test func namesThatAreLikelyMisspeltAreHintedAt() throws {
        let result = try Self.explain("notes:/notes/a?x-sucess=app:/s&Titel=b")
        #expect(result.output.contains("\nhints\n  'x-sucess' is ignored; did you mean 'x-success'?\n\nends in\n"))
    }

    static let mistakes = [
        (["--peer", "no-such-user", "notes:/a"], "No user is called 'no-such-user'."),
        (["--group", "no-such-group", "notes:/a"], "No group is called 'no-such-group'."),
        (["--peer", "4294967295", "notes:/a"], "No user is called '4294967295'."),
        (
            ["--peer", "4000000000", "notes:/a"],
            "The groups of user 4000000000 are unknown: give them with '--group'."
        ),
        (["--origin", "internal", "notes:/a"], "'--origin <origin>'"), ([], "Missing expected argument '<url>'"),
        (["notes:/" + String(repeating: "a", count: 65_536)], "(limits: line)"),
    ]

    @Test(arguments: mistakes)
    func aMistakeInTheCommandIsTold(arguments: [String], message: String) throws {
        let workspace = try CommandWorkspace()
        try workspace.write(Self.configuration, to: "c.yaml")
        let words = ["explain", "--config", "c.yaml"] + arguments
        let result = try SpawnedProgram("xcallback", words, in: workspace.directory).finish()
        #expect(result.status == 64)
        #expect(result.output == "")
        #expect(result.errors.contains(message), "\(result.errors)")
    }
}
