import TestSupport
import Testing
import XCallbackRouter
import XCallbackTesting
import XCallbackURL

/// The answers of other applications to calls, as they come back as URLs.
struct OutgoingCallsTests {
    private static let base = "xcallback://x-callback-url/return/"
    private static let other = Peer(userID: 1001, groupID: 100, processID: 43)

    private static func error(_ code: Int, _ message: String, _ items: QueryItems = [:]) -> Response {
        .error(CallbackError(.init(rawValue: code), message, items: items))
    }

    private static func unreadable(_ reason: String, _ items: QueryItems = [:]) -> Response {
        error(502, "The application's answer cannot be read: \(reason)", items)
    }

    /// What applications write after the token, and what it means.
    static let answers: [(end: String, response: Response)] = [
        ("success?a=1&b&a=%C3%A9%0A", .success(["a": "1", "b": nil, "a": "é\n"])),
        ("cancel", .cancel), ("cancel?a=1", .cancel), ("cancel?%", .cancel), ("cancel?a=%C3", .cancel),
        // Names of the protocol belong to the caller; other names that begin like them are the application's.
        ("success?x-source=app&id=7", .success(["id": "7"])),
        ("success?x-success=nowhere&a=1", .success(["a": "1"])), ("success?x-error=http://a/", .success([:])),
        ("success?X-cancel=%&x-%73uccess=1&x-callback-url=1&a=%", .success(["a": "%"])),
        ("success?x-success=notes:/a&x-success=notes:/b", .success([:])),
        ("success?x-things-id=ABC", .success(["x-things-id": "ABC"])),
        ("success?x-things-ids=%5B%22A%22%5D", .success(["x-things-ids": "[\"A\"]"])),
        // Items that are joined by hand.
        ("success&id=7", .success(["id": "7"])), ("success&id=7&n=1", .success(["id": "7", "n": "1"])),
        ("success/id/7", .success(["id": "7"])), ("success/id/7/more", .success(["id": "7", "more": nil])),
        ("success#id=7", .success(["id": "7"])), ("success?#id=7&n=1", .success(["id": "7", "n": "1"])),
        ("success?id=7#top", .success(["id": "7"])), ("success/?a=1", .success(["a": "1"])),
        ("Success?a=1", .success(["a": "1"])), ("success-form?a=b+c%2B", .success(["a": "b c+"])),
        ("success?a=b+c", .success(["a": "b+c"])),
        // Text that is not encoded.
        ("success?title=100%", .success(["title": "100%"])),
        ("success?title=a b\u{1}", .success(["title": "a b\u{1}"])),
        ("success?title=\"a\"", .success(["title": "\"a\""])), ("success?t=%u00E9", .success(["t": "%u00E9"])),
        ("success?a=5%25%2&b=%", .success(["a": "5%%2", "b": "%"])), ("success?a=%zz%41", .success(["a": "%zzA"])),
        ("success?%=1#%", .success(["%": "1"])), ("success?q=a?b=c", .success(["q": "a?b=c"])),
        (
            "success?text=\(String(repeating: "a", count: 900_000))",
            .success(["text": String(repeating: "a", count: 900_000)])
        ),
        // Errors.
        ("error?errorCode=7&errorMessage=No", error(7, "No", ["errorCode": "7", "errorMessage": "No"])),
        ("error?error-Code=12&errorMessage=Gone", error(12, "Gone", ["error-Code": "12", "errorMessage": "Gone"])),
        ("error?errorcode=3&errormessage=50%", error(3, "50%", ["errorcode": "3", "errormessage": "50%"])),
        ("error?errorMessage=Only%20words", error(500, "Only words", ["errorMessage": "Only words"])),
        ("error?errorCode=choice-not-found", error(500, "choice-not-found", ["errorCode": "choice-not-found"])),
        (
            "error?errorCode=choice-not-found&errorMessage=No",
            error(500, "choice-not-found: No", ["errorCode": "choice-not-found", "errorMessage": "No"])
        ),
        (
            "error?errorDomain=NSCocoaErrorDomain&errorCode=-3&errorMessage=x&detail=y",
            error(
                -3, "x",
                ["errorDomain": "NSCocoaErrorDomain", "errorCode": "-3", "errorMessage": "x", "detail": "y"])
        ),
        ("error", error(500, "The application gave no reason.")),
        (
            "error?errorCode=&errorMessage=",
            error(500, "The application gave no reason.", ["errorCode": "", "errorMessage": ""])
        ),
        // What is unreadable ends the call as well, and the rest arrives.
        ("success?a=1&t=%E9&b=2", unreadable("it has text that is not UTF-8.", ["a": "1", "b": "2"])),
        ("error?errorMessage=%00&errorCode=7", unreadable("it has text with a NUL.", ["errorCode": "7"])),
        ("done?a=1", unreadable("it is neither success, error nor cancel.", ["a": "1"])),
        ("", unreadable("it is neither success, error nor cancel.")),
        ("suc%cess", unreadable("it is neither success, error nor cancel.")),
    ]

    @Test(arguments: answers, [Origin.desktop, .socket])
    func anAnswerEndsItsCall(answer: (end: String, response: Response), origin: Origin) async throws {
        var router = try Conversation([Route("notes:/a")])
        let woken = Counter()
        router.host.calls.begin("t1", of: Conversation.peer.userID, to: "app") { woken.count() }
        let text = await router.awaitedAnswer(to: "\(Self.base)t1/\(answer.end)", origin: origin)
        #expect(text == "xcallback://x-callback-url/success")
        #expect(woken.value == 1)
        #expect(router.host.calls.takeAnswer(to: "t1") == answer.response)
        #expect(router.host.calls.takeAnswer(to: "t1") == nil)
        #expect(router.host.calls.count == 0)
    }

    static let spellings = [
        "xcallback:/return/t1", "xcallback:return/t1", "xcallback:///return/t1", "xcallback://return/t1",
        "xcallback:/x-callback-url/return/t1", "XCallback://X-Callback-URL/return/t1",
    ]

    /// Desktops write URLs in several ways.
    @Test(arguments: spellings)
    func everySpellingOfAReturnURLIsFound(start: String) async throws {
        var router = try Conversation([Route("notes:/a")])
        router.host.calls.begin("t1", of: Conversation.peer.userID, to: "app") {}
        expect(await router.awaitedAnswer(to: "\(start)/success&a=1"), equals: "xcallback://x-callback-url/success")
        #expect(router.host.calls.takeAnswer(to: "t1") == .success(["a": "1"]))
    }

    @Test func anAnswerOfTooManyItemsEndsItsCall() async throws {
        var router = try Conversation([Route("notes:/a")])
        router.host.calls.begin("t1", of: Conversation.peer.userID, to: "app") {}
        let items = (0...router.pipeline.maximumParameters).map { "a\($0)" }.joined(separator: "&")
        let text = await router.awaitedAnswer(to: "\(Self.base)t1/success?\(items)")
        #expect(text == "xcallback://x-callback-url/success")
        guard case .error(let error)? = router.host.calls.takeAnswer(to: "t1") else {
            Issue.record("the call waits")
            return
        }
        #expect(error.code == .unreadableAnswer && error.message.contains("(limits: parameters)"))
        #expect(error.items.count == router.pipeline.maximumParameters)
    }

    @Test func anAnswerCountsOnce() async throws {
        var router = try Conversation([Route("notes:/a")])
        for token in ["t1", "t2"] {
            router.host.calls.begin(token, of: Conversation.peer.userID, to: "app") {}
        }
        _ = await router.awaitedAnswer(to: "\(Self.base)t1/success?a=1")
        #expect(router.host.calls.takeAnswer(to: "t2") == nil)
        let again = await router.awaitedAnswer(to: "\(Self.base)t1/success?a=2")
        #expect(again.hasPrefix("xcallback://x-callback-url/error?errorCode=403&"))
        #expect(again.contains("The%20answer%20of%20%27app%27%20is%20repeated"))
        #expect(router.host.calls.takeAnswer(to: "t1") == .success(["a": "1"]))
        #expect(router.host.calls.refusalCount == 1)
        let refusals = router.host.calls.takeRefusals()
        #expect(Array(refusals.keys) == [Conversation.peer.userID])
        #expect(refusals[Conversation.peer.userID]?.count == 1)
        #expect(refusals[Conversation.peer.userID]?.areForeign == false)
        #expect(router.host.calls.takeRefusals().isEmpty)
    }

    @Test func onlyTheUserWhoCalledMayAnswer() async throws {
        var router = try Conversation([Route("notes:/a")])
        router.host.calls.begin("t1", of: Conversation.peer.userID, to: "app") {}
        let forged = await router.awaitedAnswer(to: "\(Self.base)t1/success", from: Self.other)
        let unknown = await router.awaitedAnswer(to: "\(Self.base)t2/success", from: Self.other)
        // It does not tell that there is such a call.
        #expect(forged == unknown)
        #expect(forged.contains("errorCode=403") && forged.contains("it%20is%20unknown"))
        #expect(router.host.calls.takeAnswer(to: "t1") == nil)
        #expect(router.host.calls.refusalCount == 2)
        let refusals = router.host.calls.takeRefusals()
        #expect(Array(refusals.keys) == [Self.other.userID])
        #expect(refusals[Self.other.userID]?.count == 2)
        #expect(refusals[Self.other.userID]?.areForeign == true)
        expect(await router.awaitedAnswer(to: "\(Self.base)t1/cancel"), equals: "xcallback://x-callback-url/success")
        #expect(router.host.calls.takeAnswer(to: "t1") == .cancel)
    }

    static let others = [
        "", "/success", "t1%2Fsuccess", "T1/success", "../return/t1/success", "t1%/success?%", "?a=t1",
    ]

    @Test(arguments: others)
    func anythingElseIsNoAnswer(end: String) async throws {
        var router = try Conversation([Route("notes:/a")])
        router.host.calls.begin("t1", of: Conversation.peer.userID, to: "app") {}
        expect(await router.awaitedAnswer(to: Self.base + end)) {
            $0.hasPrefix("xcallback://x-callback-url/error?errorCode=4")
        }
        #expect(router.host.calls.takeAnswer(to: "t1") == nil)
        #expect(router.host.calls.count == 1)
    }

    @Test func explainingAnAnswerDoesNotGiveIt() throws {
        let router = try Conversation([Route("notes:/a")])
        router.host.calls.begin("t1", of: Conversation.peer.userID, to: "app") {}
        let url = "\(Self.base)t1/success"
        let explanation = router.pipeline.explain(url.utf8.span, from: Conversation.peer, origin: .desktop)
        #expect(explanation.response == nil)
        #expect(router.host.calls.takeAnswer(to: "t1") == nil)
    }

    @Test func theItemsOfACallKeepItsSource() throws {
        let url = try ActionURL("app://x-callback-url/do?x-source=me&x-success=notes:/a&a=1")
        #expect(
            ReturnURL.items(token: "t1", for: url).texts == [
                "x-source=me", "x-success=\(Self.base)t1/success", "x-error=\(Self.base)t1/error",
                "x-cancel=\(Self.base)t1/cancel",
            ])
        let bare = try ActionURL("app://x-callback-url/do")
        #expect(ReturnURL.items(token: "t1", for: bare).texts.first == "x-source=xcallback")
    }
}
