import TestSupport
import Testing
import XCallback
import XCallbackTesting
import XCallbackWire

/// Answers as applications write them, which arrive through the desktop's command.
@Suite(.blocking)
struct WrittenAnswerTests {
    private static let configuration = """
        limits: { call-time: 10m }
        schemes: [notes]
        routes:
          - { route: notes:/echo, respond: { text: "{text}" } }
        """

    /// A call that waits, and the URL with which an application answers it.
    private struct Call {
        let client: RouterClient
        let success: String

        init(at socket: String) throws {
            client = try RouterClient(socket)
            try client.send("Call", ["url": "app:/do"], mode: .more)
            let opened = try ActionURL(try client.reply()["open"]?.text ?? "")
            success = try #require(opened.success)
        }

        /// The answer of the application: its items, or the code and the message of an error before its items.
        func answer() throws -> String {
            let reply = try client.reply()
            let items = (reply["items"]?.elements ?? []).map { item in
                "\(item["name"]?.text ?? "")\(item["value"]?.text.map { "=\($0)" } ?? "")"
            }
            let code = reply["code"]?.integer.map { "\($0) \(reply["message"]?.text ?? "") " } ?? ""
            return code + items.joined(separator: "&")
        }
    }

    private static let long = String(repeating: "a", count: 120_000)
    private static let unreadable = "The application's answer cannot be read:"

    private let daemon: RunningDaemon
    private let site: DesktopSite

    init() throws {
        daemon = try RunningDaemon(Self.configuration)
        site = try DesktopSite(socket: daemon.socket)
    }

    static let answers: [(end: String, answer: String)] = [
        ("?text=\(long)", "text=\(long)"), ("&id=7", "id=7"), ("?title=a b", "title=a b"),
        ("?title=100%", "title=100%"),
        ("?title=\"a\"", "title=\"a\""), ("?b=1&t=%E9", "502 \(unreadable) it has text that is not UTF-8. b=1"),
    ]

    @Test func theCommandOfTheDesktopPassesOnWhatApplicationsWrite() throws {
        for (end, answer) in Self.answers {
            let call = try Call(at: daemon.socket)
            expect(try site.run("xcallback", "handle", "--", call.success + end).status, equals: 0, "\(end.prefix(40))")
            expect(try call.answer(), equals: answer, "\(end.prefix(40))")
        }
    }

    @Test func anAnswerCanBeAsLongAsAMessage() async throws {
        let text = String(repeating: "a", count: 900_000)
        let long = try Call(at: daemon.socket)
        let client = Client(socket: daemon.socket)
        expect(try await client.open("\(long.success)?text=\(text)", from: .desktop).response, equals: .success([:]))
        expect(try long.answer(), equals: "text=\(text)")
        // Longer ones end their calls as well, over both protocols.
        let limit = 1_048_576
        let longer = try Call(at: daemon.socket)
        await #expect(throws: ClientError.self) {
            _ = try await client.open("\(longer.success)?text=\(text)\(text)", from: .desktop)
        }
        expect(
            try longer.answer(), equals: "502 \(Self.unreadable) it is longer than \(limit) bytes (limits: message). ")
        let line = try Call(at: daemon.socket)
        expect(try daemon.connect().ask("\(line.success)?text=\(text)")) { $0?.contains("errorCode=413") == true }
        expect(try line.answer(), equals: "502 \(Self.unreadable) it is longer than 65536 bytes (limits: line). ")
    }

    @Test func aRejectedAnswerSaysWhoseItIs() throws {
        let call = try Call(at: daemon.socket)
        expect(try site.run("xcallback", "handle", "--", call.success).status, equals: 0)
        expect(try call.answer(), equals: "")
        let repeated = try site.run("xcallback", "handle", "--", call.success)
        // Some applications answer twice.
        #expect(repeated.status == 0 && repeated.output == "")
        let late = try RouterClient(daemon.socket)
        try late.send(
            "Call", ["url": "app:/do", "timeout": .number(JSONNumber(seconds: .milliseconds(10)))], mode: .more)
        let opened = try ActionURL(try late.reply()["open"]?.text ?? "")
        expect(try late.reply()["code"]?.integer, equals: 504)
        let result = try site.run("xcallback", "handle", "--", try #require(opened.success))
        #expect(result.output.contains("The answer of 'app' is late: the call ended without it."))
        let forged = "xcallback://x-callback-url/return/\(String(repeating: "0", count: 32))/success"
        expect(try site.run("xcallback", "handle", "--", forged).output) { $0.contains("it is unknown, or older than") }
    }

    @Test func theCommandAndTheLibraryHaveAllItemsOfAnError() async throws {
        let answer = try await Client(socket: daemon.socket).call("app:/do?x-error=done:/e") { url in
            let target = try #require(try ActionURL(url).error)
            _ = try daemon.connect().ask("\(target)?errorCode=no-note&detail=y")
        }
        guard case .error(let error) = answer.response else {
            Issue.record("\(answer)")
            return
        }
        #expect(error.items == ["errorCode": "no-note", "detail": "y"])
        #expect(answer.url == "done:/e?errorCode=500&errorMessage=no-note&detail=y")
    }
}
