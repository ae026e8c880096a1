import TestSupport
import Testing

/// `xcallback open` with answers and ends of a conversation that the real daemon gives rarely or never.
@Suite(.blocking)
struct OpenConversationTests {
    private static let own = "xcallback://x-callback-url"

    /// A reply to a call of `Open`.
    private static func reply(
        _ outcome: String, _ answer: String, items: String = "", error: (code: Int, message: String)? = nil,
        by author: String = "daemon"
    ) -> String {
        let code = error.map { #","code":\#($0.code),"message":"\#($0.message)""# } ?? ""
        return #"{"parameters":{"outcome":"\#(outcome)","answer":"\#(answer)","items":[\#(items)]\#(code),"#
            + #""by":"\#(author)"}}"#
    }

    private static func error(_ code: Int, _ message: String, by author: String = "daemon") -> String {
        reply(
            "error", "\(own)/error?errorCode=\(code)&errorMessage=\(message)", error: (code, message), by: author)
    }

    private static let success = reply("success", "\(own)/success", by: "handler")
    private static let cancel = reply("cancel", "\(own)/cancel", by: "handler")

    static let statuses: [(code: Int, daemon: Int32, handler: Int32)] = [
        (400, 1, 1), (403, 5, 1), (404, 6, 1), (413, 1, 1), (422, 1, 1), (429, 1, 1), (500, 1, 1), (503, 1, 1),
        (504, 4, 1), (508, 1, 1), (7, 1, 1),
    ]

    @Test(arguments: statuses)
    func anErrorOfTheDaemonHasTheExitStatusOfItsCode(code: Int, daemon: Int32, handler: Int32) throws {
        let result = try open(["notes:/a"], replies: [Self.error(code, "No.")])
        #expect(result == ProgramResult(status: daemon, errors: "error: No. (\(code))\n"))
        let other = try open(["notes:/a"], replies: [Self.error(code, "No.", by: "handler")])
        #expect(other == ProgramResult(status: handler, errors: "error: No. (\(code))\n"))
    }

    @Test func aCancelHasAStatusOfItsOwn() throws {
        let text = try open(["notes:/a"], replies: [Self.cancel])
        #expect(text == ProgramResult(status: 3, errors: "cancelled\n"))
        let json = try open(["--json", "notes:/a"], replies: [Self.cancel])
        let line = #"{"outcome":"cancel","url":"xcallback://x-callback-url/cancel","items":[],"by":"handler"}"#
        #expect(json == ProgramResult(status: 3, output: line + "\n"))
        let reply = Self.reply("cancel", "app:/no?a=1", by: "handler")
        let other = try open(["notes:/a?x-cancel=app:/no%3Fa%3D1"], replies: [reply])
        #expect(other == ProgramResult(status: 3, output: "app:/no?a=1\n"))
    }

    @Test func anItemWithoutAValueIsPrintedByItsNameAlone() throws {
        let items = #"{"name":"a"},{"name":"b","value":""}"#
        let reply = Self.reply("success", "\(Self.own)/success?a&b=", items: items, by: "handler")
        expect(
            try open(["notes:/a", "notes:/b"], replies: [reply, reply]),
            equals: ProgramResult(status: 0, output: "a\nb=\na\nb=\n"))
        let json = try open(["--json", "notes:/a"], replies: [reply])
        #expect(json.output.contains(#""items":[{"name":"a","value":null},{"name":"b","value":""}]"#))
    }

    @Test func aMessageCannotSteerTheTerminal() throws {
        let result = try open(["notes:/a"], replies: [Self.error(500, #"a\u001b[2J\nb"#)])
        #expect(result.errors == "error: a<U+001B>[2J<U+000A>b (500)\n")
    }

    @Test func aFailureOfTheServerHasTheIDOfItsRequest() throws {
        let replies = [(500, "No"), (599, "No"), (404, "None"), (600, "Mine"), (3, "Mine")].map { code, message in
            Self.error(code, message).replacing(#","by""#, with: #","id":"7h3kq2vd-\#(code)","by""#)
        }
        let result = try open(replies.map { _ in "notes:/a" }, replies: replies)
        let errors = [
            "error: No (500, request 7h3kq2vd-500)", "error: No (599, request 7h3kq2vd-599)", "error: None (404)",
            "error: Mine (600)", "error: Mine (3)",
        ]
        #expect(result == ProgramResult(status: 1, errors: errors.joined(separator: "\n") + "\n"))
    }

    @Test func theFirstStatusThatIsNotZeroCounts() throws {
        let replies = [Self.success, Self.cancel, Self.error(504, "")]
        let result = try open(["notes:/a", "notes:/b", "notes:/c"], replies: replies)
        #expect(result == ProgramResult(status: 3, errors: "cancelled\nerror: (504)\n"))
    }

    @Test func aDaemonThatGoesAwayIsNotReachable() throws {
        let reply = Self.reply(
            "success", "\(Self.own)/success?a=1", items: #"{"name":"a","value":"1"}"#, by: "handler")
        let result = try open(["notes:/a", "notes:/b"], replies: [reply])
        #expect(result.status == 7)
        #expect(result.output == "a=1\n")
        // It may be noticed before the next URL is sent or while its answer is waited for.
        #expect(result.errors.hasPrefix("xcallback: "), "\(result.errors)")
        #expect(result.errors.contains("the daemon at '"))
    }

    @Test func aReaderThatGoesAwayEndsNoRequest() throws {
        let workspace = try CommandWorkspace()
        let daemon = try ScriptedDaemon(path: workspace.socket)
        let command = try workspace.start("open", "--socket", workspace.socket, "notes:/a", "notes:/b")
        try command.stopReading()
        _ = try daemon.converse([
            Self.reply("success", "\(Self.own)/success?a=1", items: #"{"name":"a","value":"1"}"#, by: "handler"),
            Self.cancel,
        ])
        expect(try command.finish(), equals: ProgramResult(status: 3, errors: "cancelled\n"))
    }

    private func open(_ arguments: [String], replies: [String]) throws -> ProgramResult {
        let workspace = try CommandWorkspace()
        let daemon = try ScriptedDaemon(path: workspace.socket)
        let command = try SpawnedProgram(
            "xcallback", ["open", "--socket", workspace.socket] + arguments, in: workspace.directory)
        _ = try daemon.converse(replies)
        _ = consume daemon
        return try command.finish()
    }
}
