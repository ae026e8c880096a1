import TestSupport
import Testing

/// `xcallback explain`.
@Suite(.blocking)
struct ExplainCommandTests {
    private static let configuration = """
        schemes: [notes, todo]
        middleware: [log]
        routes:
          - route: notes:/notes/:id
            input: { id: int }
            policies: [{ rate: 10/m }, { user: 4711 }]
            exec: [/bin/rm, -r, --, "/no where/{id}"]
          - route: notes:/notes/:title
            public: true
            respond: { title: "{title}" }
          - route: todo:/see/:n
            public: true
            input: { n: int }
            redirect: "notes:/notes/{n}"
        """

    private static func explain(_ arguments: String...) throws -> ProgramResult { try explain(arguments) }

    private static func explain(_ arguments: [String]) throws -> ProgramResult {
        let workspace = try CommandWorkspace()
        try workspace.write(configuration, to: "c.yaml")
        let words = ["explain", "--config", "c.yaml"] + arguments
        return try workspace.run(words)
    }

    @Test func theResultThenEachHopIsReported() throws {
        let text = """
            runs /bin/rm -r -- '/no where/7', if policies 'rate' and 'user' allow it

            URL   todo:/see/7
            from  a link or a web page
            action  /see/7
            routes
              todo:/see/:n  answers (c.yaml:11)
            captures
              n = 7
            stages
              middleware log
              input
              handler redirect

            redirected to notes://x-callback-url/notes/7
            action  /notes/7
            routes
              notes:/notes/:id     answers (c.yaml:4)
              notes:/notes/:title  matches, but notes:/notes/:id is more specific
            captures
              id = 7
            stages
              middleware log
              policy rate: at most 10 per 1m (this try does not count)
              policy user: only 4711
              input
              handler exec: would run now; the result is known once it has ended
                /bin/rm -r -- '/no where/7'

            """
        let result = try Self.explain("--origin", "desktop", "todo:/see/7")
        #expect(result == ProgramResult(status: 0, output: text))
    }

    @Test func parametersAreAddedToARouteOfTheFile() throws {
        let result = try Self.explain("notes:/notes/:id", "--param", "id=7", "--param", "more=1 2")
        #expect(result.output.hasPrefix("runs /bin/rm -r -- '/no where/7', if "), "\(result)")
        #expect(result.output.contains("\nURL   notes:/notes/7?more=1%202\n"))
    }

    @Test func valuesCannotSteerATerminal() throws {
        let output = try Self.explain("notes:/notes/%1b%5B2J%0Aends?x-source=%1b").output
        #expect(output.contains("title = <U+001B>[2J<U+000A>ends"))
        #expect(output.utf8.allSatisfy { $0 >= 0x20 || $0 == 0x0A })
    }

    @Test func jsonHasItAll() throws {
        let text =
            #"{"url":"notes:/notes/a?x-success=app:/s","origin":"socket","code":null,"result":"answers title=a","#
            + #""hops":[{"url":"notes:/notes/a?x-success=app:/s","action":"/notes/a","origin":"socket","candidates":["#
            + #"{"route":"notes:/notes/:title","place":"c.yaml:8","verdict":"answers","reason":null},"#
            + #"{"route":"notes:/notes/:id","place":"c.yaml:4","verdict":"differs","#
            + #""reason":"'id' must be a whole number"}],"omitted":0,"#
            + #""route":"notes:/notes/:title","captures":[{"name":"title","value":"a"}],"stages":["#
            + #"{"kind":"middleware","name":"log","note":null,"command":null},"#
            + #"{"kind":"handler","name":"respond","note":null,"command":null}]}],"hints":[]}"#
        let result = try Self.explain("--json", "notes:/notes/a?x-success=app:/s")
        #expect(result == ProgramResult(status: 0, output: text + "\n"))
    }

    static let mistakes = [
        (["--origin", "internal", "notes:/a"], "'--origin <origin>'"), ([], "Missing expected argument '<url>'"),
        (["notes:/" + String(repeating: "a", count: 65_536)], "(limits: line)"),
    ]

    @Test(arguments: mistakes)
    func aMistakeInTheCommandIsReported(arguments: [String], message: String) throws {
        let result = try Self.explain(arguments)
        #expect(result.status == 64)
        #expect(result.output == "")
        #expect(result.errors.contains(message), "\(result.errors)")
    }
}
