import Testing
import XCallbackRouter
import XCallbackURL
import XCallbackWire

struct AnswerTests {
    private let trace = Trace()

    private func conversation() throws -> Conversation {
        try Conversation([
            Route("notes:/ok", .immediate(Tracing(trace, "h", end: .success(["r": "a b", "k": nil])))),
            Route("notes:/no", .immediate(Fixed(.error(CallbackError(.refused, "No & no."))))),
            Route("notes:/stop", .immediate(Fixed(.cancel))), Route("notes:/secret", isPublic: false),
        ])
    }

    static let answers: [(String, String)] = [
        ("notes:/ok", "xcallback://x-callback-url/success?r=a%20b&k"),
        ("notes:/ok?x-error=app:/e&x-cancel=app:/c", "xcallback://x-callback-url/success?r=a%20b&k"),
        ("notes:/ok?x-success=app:/s", "app:/s?r=a%20b&k"),
        ("notes:/ok?x-success=app:/s%3Fr=1%26q=%252B%23f", "app:/s?q=%2B&r=a%20b&k#f"),
        ("notes:/no?x-success=app:/s", "xcallback://x-callback-url/error?errorCode=403&errorMessage=No%20%26%20no."),
        ("notes:/no?x-error=app:/e?", "app:/e?errorCode=403&errorMessage=No%20%26%20no."),
        ("notes:/no?x-error=a:?errorCode=1", "a:?errorCode=403&errorMessage=No%20%26%20no."),
        ("notes:/stop", "xcallback://x-callback-url/cancel"),
        ("notes:/stop?x-cancel=app:/c%3Fa%26%23f", "app:/c?a&#f"), ("notes:/stop?x-cancel=app:/c%3F", "app:/c?"),
        ("notes:/ok?x-success=notes:/no", "notes:/no?r=a%20b&k"),
    ]

    @Test(arguments: answers)
    func anOutcomeGoesToItsCallbackOrIsTheDaemonsOwnAnswer(text: String, answer: String) throws {
        var conversation = try conversation()
        #expect(conversation.answer(to: text) == answer)
    }

    static let badCallbacks = [
        "x-success=nothing", "x-success", "x-success=", "x-cancel=app:/a%20b", "x-cancel=app:/%250",
        "x-success=javascript:a", "x-cancel=https://example.org", "x-success=app:/%0Aa", "x-success=ms-word:a",
    ]

    @Test(arguments: badCallbacks)
    func aBadCallbackIsReportedToTheOtherOneAndNothingRuns(item: String) throws {
        var conversation = try conversation()
        let name = item.split(separator: "=")[0]
        let answer = conversation.answer(to: "notes:/ok?\(item)&x-error=app:/e")
        #expect(answer.hasPrefix("app:/e?errorCode=400&errorMessage="))
        #expect(answer.contains("'\(name)'".replacing("'", with: "%27")))
        #expect(trace.taken() == [])
    }

    @Test(arguments: ["nothing", "", "app:/%0D%0A", "data:a", "http://a", "app:/%25"])
    func aBadErrorCallbackIsNotAnsweredTo(callback: String) throws {
        var conversation = try conversation()
        let answer = conversation.answer(to: "notes:/ok?x-error=\(callback)&x-success=app:/s")
        #expect(answer.hasPrefix("xcallback://x-callback-url/error?errorCode=400&"))
        #expect(answer.contains("%27x-error%27"))
        #expect(trace.taken() == [])
    }

    static let faultyURLs: [(String, String)] = [
        ("notes:/..?x-error=app:/e", "app:/e?errorCode=400&"),
        ("notes:/a?b=%zz&x-error=app:/e", "app:/e?errorCode=400&"),
        ("other:/a?x-error=app:/e", "app:/e?errorCode=404&"), ("other:/..?x-error=app:/e", "app:/e?errorCode=404&"),
        ("notes:/nowhere?x-error=app:/e", "app:/e?errorCode=404&"),
        ("notes://a:1/?x-error=app:/e", "app:/e?errorCode=400&"),
        ("notes:/a?x-success=%FF&x-error=app:/e", "app:/e?errorCode=400&"),
        ("notes:/..?x-error=app:/e&x-error=app:/f", "xcallback://x-callback-url/error?errorCode=400&"),
        ("notes:/..?x-error=data:e", "xcallback://x-callback-url/error?errorCode=400&"),
        ("notes:/..?x-error=e", "xcallback://x-callback-url/error?errorCode=400&"),
        ("notes:/a b?x-error=app:/e", "xcallback://x-callback-url/error?errorCode=400&"),
        ("nothing?x-error=app:/e", "xcallback://x-callback-url/error?errorCode=400&"),
    ]

    @Test(arguments: faultyURLs)
    func aFaultyURLIsAnsweredToItsErrorCallbackWhereThatIsFine(text: String, start: String) throws {
        var conversation = try conversation()
        #expect(conversation.answer(to: text).hasPrefix(start))
    }

    /// The caller has written its values.
    @Test func anApplicationReplacesNothingOfAnOwnCallback() throws {
        let pipeline = try conversation().pipeline
        let url = try ActionURL("app:/call?x-success=notes:/ok%3Fr%3Da")
        var (callbacks, output) = (Callbacks(), ByteBuffer())
        try callbacks.check(url, pipeline.callbackRules, .socket)
        PendingAnswer().write(
            returned: .success(["r": "b", "k": "c"]), to: callbacks, of: url, in: pipeline, into: &output)
        #expect(String(decoding: output.contents, as: UTF8.self) == "notes:/ok?r=a&k=c")
    }

    @Test func theDesktopNamesOwnSchemesOnly() throws {
        var conversation = try conversation()
        #expect(conversation.answer(to: "notes:/ok?x-success=notes:/s", origin: .desktop).hasPrefix("notes:/s?"))
        #expect(conversation.answer(to: "notes:/ok?x-success=app:/s", origin: .desktop).contains("errorCode=400"))
        #expect(
            conversation.answer(to: "notes:/secret?x-error=app:/s", origin: .desktop)
                .hasPrefix("xcallback://x-callback-url/error?errorCode=400"))
    }
}
