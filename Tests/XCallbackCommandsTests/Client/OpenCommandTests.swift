import TestSupport
import Testing
import XCallbackTesting

/// `xcallback open` with the real daemon.
@Suite(.blocking)
struct OpenCommandTests {
    private static let configuration = """
        schemes: [notes]
        routes:
          - route: notes:/ping/:name
            respond: { pong: "{name}", empty: "" }
          - route: notes:/text
            respond: { text: "a \\"b\\" \\\\ é\\tc\\nd\\u0001\\e" }
          - route: notes:/tags
            respond: { tag: [a, b] }
          - route: notes:/nothing
            respond:
          - route: notes:/away
            redirect: "app:/there?a=1"
          - route: notes:/forbidden
            policies: [{ user: 4294967294 }]
            respond:
        """

    /// What stands after the URLs, and how the command ends.
    static let answers: [(arguments: [String], result: ProgramResult)] = [
        (["notes:/ping/ada"], ProgramResult(status: 0, output: "pong=ada\nempty=\n")),
        (["notes:/text"], ProgramResult(status: 0, output: "text=a \"b\" \\ é<U+0009>c\n    d<U+0001><U+001B>\n")),
        (["notes:/nothing"], ProgramResult(status: 0)),
        (["notes:/away"], ProgramResult(status: 0, output: "app:/there?a=1\n")),
        (
            ["notes:/ping"],
            ProgramResult(
                status: 6,
                errors: "error: No route answers this action. (404)\n"
                    + "cause: the closest route is notes:/ping/:name, but the URL ends before ':name'\n")
        ),
        (
            ["notes:/ping/ada?x-success=app:/ok%3Fpong%3D1%26b%3D2%23f"],
            ProgramResult(status: 0, output: "app:/ok?b=2&pong=ada&empty=#f\n")
        ),
        (
            ["notes:/ping/ada", "notes:/nope", "notes:/forbidden?x-error=app:/e", "notes:/ping/bob"],
            ProgramResult(
                status: 6,
                output: "pong=ada\nempty=\n"
                    + "app:/e?errorCode=403&errorMessage=Policy%20%27user%27%20refuses%20the%20request%3A%20"
                    + "the%20user%20is%20not%20allowed.\npong=bob\nempty=\n",
                errors: "error: No route answers this action. (404)\n")
        ),
    ]

    private let workspace: CommandWorkspace

    init() throws {
        workspace = try CommandWorkspace()
        try workspace.startDaemon(Self.configuration)
    }

    @Test(arguments: answers)
    func anAnswerIsPrintedAsText(arguments: [String], result: ProgramResult) throws {
        let words = ["open", "--socket", workspace.socket] + arguments
        expect(try workspace.run(words), equals: result)
    }

    @Test func answersArePrintedAsOneJSONObjectALine() throws {
        let result = try workspace.open(
            "--json", "notes:/ping/ada", "notes:/text", "notes:/nope", "notes:/away", "notes:/nothing",
            "notes:/tags?x-success=app:/ok%3Ftag%3Da", "notes:/a//b?x-error=app:/e")
        let lines = [
            #"{"outcome":"success","url":"xcallback://x-callback-url/success?pong=ada&empty=","#
                + #""items":[{"name":"pong","value":"ada"},{"name":"empty","value":""}],"by":"handler"}"#,
            #"{"outcome":"success","#
                + #""url":"xcallback://x-callback-url/success?text=a%20%22b%22%20%5C%20%C3%A9%09c%0Ad%01%1B","#
                + #""items":[{"name":"text","value":"a \"b\" \\ é\tc\nd\u0001\u001b"}],"by":"handler"}"#,
            #"{"outcome":"error","url":"xcallback://x-callback-url/error?errorCode=404&"#
                + #"errorMessage=No%20route%20answers%20this%20action.","items":[],"by":"daemon","#
                + #""code":404,"message":"No route answers this action."}"#,
            #"{"outcome":"redirect","url":"app:/there?a=1","items":[],"by":"handler"}"#,
            #"{"outcome":"success","url":"xcallback://x-callback-url/success","items":[],"by":"handler"}"#,
            #"{"outcome":"success","url":"app:/ok?tag=a&tag=b","#
                + #""items":[{"name":"tag","value":"a"},{"name":"tag","value":"b"}],"by":"handler"}"#,
            #"{"outcome":"error","url":"app:/e?errorCode=400&errorMessage=The%20URL%20has%20an%20empty%20segment%20"#
                + #"at%20byte%209%3A%20expected%20a%20name%20between%20two%20slashes.","items":[],"by":"daemon","code":400,"#
                + #""message":"The URL has an empty segment at byte 9: expected a name between two slashes."}"#,
        ]
        let id = #","id":"7h3kq2vd-41""#
        let output = result.output.withExampleIDs
        #expect(output.split(separator: "\n").count { $0.contains(id) } == lines.count)
        #expect(
            ProgramResult(status: result.status, output: output.replacing(id, with: ""), errors: result.errors)
                == ProgramResult(status: 6, output: lines.joined(separator: "\n") + "\n"))
    }
}
