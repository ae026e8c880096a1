import Testing

/// `xcallback open` with answers and ends of a conversation that the real daemon gives rarely or never.
@Suite(.timeLimit(.minutes(10)))
struct OpenConversationTests {
    private static let own = "xcallback://x-callback-url"

    static let statuses: [(code: Int, status: Int32)] = [
        (400, 1), (403, 5), (404, 6), (413, 1), (422, 1), (429, 1), (500, 1), (503, 1), (504, 4), (508, 1), (7, 1),
    ]

    @Test(arguments: statuses)
    func anErrorHasTheExitStatusOfItsCode(code: Int, status: Int32) throws {
        let result = try open(["notes:/a"], answers: ["\(Self.own)/error?errorCode=\(code)&errorMessage=No.\n"])
        #expect(result == ProgramResult(status: status, errors: "error \(code): No.\n"))
    }

    @Test func aCancelHasAStatusOfItsOwn() throws {
        let result = try open(["notes:/a"], answers: ["\(Self.own)/cancel\n"])
        #expect(result == ProgramResult(status: 3, errors: "cancelled\n"))
    }

    @Test func aCancelToACallbackIsPrintedAsItIs() throws {
        let result = try open(["notes:/a?x-cancel=app:/no%3Fa%3D1"], answers: ["app:/no?a=1\n"])
        #expect(result == ProgramResult(status: 3, output: "app:/no?a=1\n"))
    }

    @Test func aCancelIsToldInJSON() throws {
        let result = try open(["--json", "notes:/a"], answers: ["\(Self.own)/cancel\n"])
        let line = #"{"outcome":"cancel","url":"xcallback://x-callback-url/cancel","items":[]}"#
        #expect(result == ProgramResult(status: 3, output: line + "\n"))
    }

    @Test func anItemWithoutAValueIsPrintedByItsNameAlone() throws {
        let answers = ["\(Self.own)/success?a&b=\n", "\(Self.own)/success?a&b=\n"]
        let text = try open(["notes:/a", "notes:/b"], answers: answers)
        #expect(text == ProgramResult(status: 0, output: "a\nb=\na\nb=\n"))
        let json = try open(["--json", "notes:/a"], answers: ["\(Self.own)/success?a&b=\n"])
        #expect(json.output.contains(#""items":[{"name":"a","value":null},{"name":"b","value":""}]"#))
    }

    @Test func aMessageCannotSteerTheTerminal() throws {
        let answer = "\(Self.own)/error?errorCode=500&errorMessage=a%1B%5B2J%0Ab\n"
        let result = try open(["notes:/a"], answers: [answer])
        #expect(result.errors == "error 500: a<U+001B>[2J<U+000A>b\n")
    }

    @Test func theFirstStatusThatIsNotZeroCounts() throws {
        let answers = [
            "\(Self.own)/success\n", "\(Self.own)/cancel\n", "\(Self.own)/error?errorCode=504&errorMessage=\n",
        ]
        let result = try open(["notes:/a", "notes:/b", "notes:/c"], answers: answers)
        #expect(result == ProgramResult(status: 3, errors: "cancelled\nerror 504: \n"))
    }

    @Test func eachURLIsOneLineOfOneConnection() throws {
        let workspace = try CommandWorkspace()
        let daemon = try ScriptedDaemon(path: workspace.socket)
        let command = try workspace.start("open", "--socket", workspace.socket, "notes:/a", "notes:/b")
        let received = try daemon.converse(["\(Self.own)/success\n", "\(Self.own)/success\n"])
        #expect(received == "notes:/a\nnotes:/b\n")
        #expect(try command.finish() == ProgramResult(status: 0))
    }

    @Test func aDaemonThatGoesAwayIsNotReachable() throws {
        let result = try open(["notes:/a", "notes:/b"], answers: ["\(Self.own)/success?a=1\n", "half an answer"])
        #expect(result.status == 7)
        #expect(result.output == "a=1\n")
        #expect(result.errors.contains("did not answer: it closed the connection\n"))
    }

    @Test func anAnswerThatIsNoURLIsNotTheDaemons() throws {
        let result = try open(["notes:/a"], answers: ["HTTP/1.1 400 Bad Request\n"])
        #expect(result.status == 7)
        #expect(
            result.errors == "xcallback: the answer has no scheme: expected a letter, then letters, digits, "
                + "'+', '-' or '.', then a colon: it does not come from xcallbackd\n")
    }

    @Test func aReaderThatGoesAwayEndsNoRequest() throws {
        let workspace = try CommandWorkspace()
        let daemon = try ScriptedDaemon(path: workspace.socket)
        let command = try workspace.start("open", "--socket", workspace.socket, "notes:/a", "notes:/b")
        try command.stopReading()
        let received = try daemon.converse(["\(Self.own)/success?a=1\n", "\(Self.own)/cancel\n"])
        #expect(received == "notes:/a\nnotes:/b\n")
        #expect(try command.finish() == ProgramResult(status: 3, errors: "cancelled\n"))
    }

    private func open(_ arguments: [String], answers: [String]) throws -> ProgramResult {
        let workspace = try CommandWorkspace()
        let daemon = try ScriptedDaemon(path: workspace.socket)
        let command = try SpawnedProgram(
            "xcallback", ["open", "--socket", workspace.socket] + arguments, in: workspace.directory)
        _ = try daemon.converse(answers)
        return try command.finish()
    }
}
