import Synchronization
import Testing
import XCallbackPipeline
import XCallbackURL

/// The answers of other applications to calls, as they come back as URLs.
struct OutgoingCallsTests {
    private static let base = "xcallback://x-callback-url/return/"
    private static let other = Peer(userID: 1001, groupID: 100, processID: 43)

    static let answers: [(end: String, response: Response)] = [
        ("success", .success([:])), ("success?", .success([:])),
        ("success?a=1&b&a=%C3%A9%0A", .success(["a": "1", "b": nil, "a": "é\n"])),
        ("success?x-source=app&X-Thing=1&a=1", .success(["a": "1"])), ("cancel", .cancel), ("cancel?a=1", .cancel),
        ("error?errorCode=7&errorMessage=No", .error(CallbackError(.init(rawValue: 7), "No"))),
        ("error?error-Code=12&errorMessage=Gone", .error(CallbackError(.init(rawValue: 12), "Gone"))),
        ("error?errorMessage=Only%20words", .error(CallbackError(.internalFailure, "Only words"))),
        ("error?errorCode=seven", .error(CallbackError(.internalFailure, "The application gave no reason."))),
        ("error", .error(CallbackError(.internalFailure, "The application gave no reason."))),
    ]

    @Test(arguments: answers, [Origin.desktop, .socket])
    func anAnswerReachesItsCall(answer: (end: String, response: Response), origin: Origin) async throws {
        var router = try Conversation([Route("notes:/a")])
        let woken = Counter()
        router.state[OutgoingCalls.self].begin("t1", of: Conversation.peer.userID) { woken.add() }
        let text = await router.awaitedAnswer(to: "\(Self.base)t1/\(answer.end)", origin: origin)
        #expect(text == "xcallback://x-callback-url/success")
        #expect(woken.count == 1)
        #expect(router.state[OutgoingCalls.self].takeAnswer(to: .token("t1")) == answer.response)
        #expect(router.state[OutgoingCalls.self].takeAnswer(to: .token("t1")) == nil)
        #expect(router.state[OutgoingCalls.self].count == 0)
    }

    static let unreadable = "The application's answer cannot be read: it has text "
    static let faultyAnswers: [(end: String, response: Response)] = [
        ("success?a=100%", .success(["a": "100%"])), ("success?a=5%25%2&b=%", .success(["a": "5%%2", "b": "%"])),
        ("success?a=%zz%41", .success(["a": "%zzA"])), ("success?a=b c\u{1}", .success(["a": "b c\u{1}"])),
        ("success?%=1#%", .success(["%": "1"])), ("cancel?%", .cancel), ("success?x-%41=%&a=1", .success(["a": "1"])),
        ("error?errorCode=7&errorMessage=50%", .error(CallbackError(.init(rawValue: 7), "50%"))),
        ("success?x-success=nowhere&a=1", .success(["a": "1"])), ("success?x-error=http://a/", .success([:])),
        ("success?x-success=notes:/a&x-success=notes:/b&X-cancel=%&a=%", .success(["a": "%"])),
        ("success?x-error=notes:/a", .success([:])),
        ("success?a=%FF", .error(CallbackError(.unreadableAnswer, "\(unreadable)that is not UTF-8."))),
        ("cancel?a=%C3", .error(CallbackError(.unreadableAnswer, "\(unreadable)that is not UTF-8."))),
        ("error?errorMessage=%00", .error(CallbackError(.unreadableAnswer, "\(unreadable)with a NUL."))),
    ]

    /// Raw `%` is the most usual fault of applications; a call must not wait in vain for it.
    @Test(arguments: faultyAnswers, [Origin.desktop, .socket])
    func aFaultyAnswerEndsItsCallToo(answer: (end: String, response: Response), origin: Origin) async throws {
        var router = try Conversation([Route("notes:/a")])
        router.state[OutgoingCalls.self].begin("t1", of: Conversation.peer.userID) {}
        let text = await router.awaitedAnswer(to: "\(Self.base)t1/\(answer.end)", origin: origin)
        #expect(text == "xcallback://x-callback-url/success")
        #expect(router.state[OutgoingCalls.self].takeAnswer(to: .token("t1")) == answer.response)
    }

    @Test func anAnswerOfTooManyItemsEndsItsCall() async throws {
        var router = try Conversation([Route("notes:/a")])
        router.state[OutgoingCalls.self].begin("t1", of: Conversation.peer.userID) {}
        let items = (0...router.pipeline.maximumParameters).map { "a\($0)" }.joined(separator: "&")
        let text = await router.awaitedAnswer(to: "\(Self.base)t1/success?\(items)")
        #expect(text == "xcallback://x-callback-url/success")
        guard case .error(let error)? = router.state[OutgoingCalls.self].takeAnswer(to: .token("t1")) else {
            Issue.record("the call waits")
            return
        }
        #expect(error.code == .unreadableAnswer && error.message.contains("(limits: parameters)"))
    }

    @Test func anAnswerCountsOnce() async throws {
        var router = try Conversation([Route("notes:/a")])
        router.state[OutgoingCalls.self].begin("t1", of: Conversation.peer.userID) {}
        _ = await router.awaitedAnswer(to: "\(Self.base)t1/success?a=1")
        let again = await router.awaitedAnswer(to: "\(Self.base)t1/success?a=2")
        #expect(again.hasPrefix("xcallback://x-callback-url/error?errorCode=403&"))
        #expect(router.state[OutgoingCalls.self].takeAnswer(to: .token("t1")) == .success(["a": "1"]))
        #expect(router.state[OutgoingCalls.self].refusalCount == 1)
        let refusals = router.state[OutgoingCalls.self].takeRefusals()
        #expect(Array(refusals.keys) == [Conversation.peer.userID])
        #expect(refusals[Conversation.peer.userID]?.count == 1)
        #expect(refusals[Conversation.peer.userID]?.areForeign == false)
        #expect(router.state[OutgoingCalls.self].takeRefusals().isEmpty)
    }

    @Test func onlyTheUserWhoCalledMayAnswer() async throws {
        var router = try Conversation([Route("notes:/a")])
        router.state[OutgoingCalls.self].begin("t1", of: Conversation.peer.userID) {}
        let forged = await router.awaitedAnswer(to: "\(Self.base)t1/success", from: Self.other)
        let unknown = await router.awaitedAnswer(to: "\(Self.base)t2/success", from: Self.other)
        // It does not tell that there is such a call.
        #expect(forged == unknown)
        #expect(forged.contains("errorCode=403"))
        #expect(router.state[OutgoingCalls.self].takeAnswer(to: .token("t1")) == nil)
        #expect(router.state[OutgoingCalls.self].refusalCount == 2)
        let refusals = router.state[OutgoingCalls.self].takeRefusals()
        #expect(Array(refusals.keys) == [Self.other.userID])
        #expect(refusals[Self.other.userID]?.count == 2)
        #expect(refusals[Self.other.userID]?.areForeign == true)
        #expect(await router.awaitedAnswer(to: "\(Self.base)t1/cancel") == "xcallback://x-callback-url/success")
        #expect(router.state[OutgoingCalls.self].takeAnswer(to: .token("t1")) == .cancel)
    }

    @Test func aCallThatIsOverTakesNoAnswer() async throws {
        var router = try Conversation([Route("notes:/a")])
        router.state[OutgoingCalls.self].begin("t1", of: Conversation.peer.userID) {}
        router.state[OutgoingCalls.self].end(.token("t1"))
        #expect(await router.awaitedAnswer(to: "\(Self.base)t1/success").contains("errorCode=403"))
        #expect(router.state[OutgoingCalls.self].takeAnswer(to: .token("t1")) == nil)
    }

    static let others = [
        "", "t1", "t1/", "t1/done", "t1/success/more", "t1/Success", "/success", "t1%2Fsuccess", "T1/success",
        "../return/t1/success", "t1/done?%", "t1%/success?%", "t1/suc%cess", "t1/success/more?%FF",
    ]

    @Test(arguments: others)
    func anythingElseIsNoAnswer(end: String) async throws {
        var router = try Conversation([Route("notes:/a")])
        router.state[OutgoingCalls.self].begin("t1", of: Conversation.peer.userID) {}
        #expect(
            await router.awaitedAnswer(to: Self.base + end).hasPrefix("xcallback://x-callback-url/error?errorCode=4"))
        #expect(router.state[OutgoingCalls.self].takeAnswer(to: .token("t1")) == nil)
        #expect(router.state[OutgoingCalls.self].count == 1)
    }

    @Test func explainingAnAnswerDoesNotGiveIt() throws {
        var router = try Conversation([Route("notes:/a")])
        router.state[OutgoingCalls.self].begin("t1", of: Conversation.peer.userID) {}
        let url = "\(Self.base)t1/success"
        let explanation = router.pipeline.explain(url.utf8.span, from: Conversation.peer, origin: .desktop)
        #expect(explanation.response == nil)
        #expect(router.state[OutgoingCalls.self].takeAnswer(to: .token("t1")) == nil)
    }

    @Test func anApplicationIsToldOnceItsAnswerIsSafe() async throws {
        var router = try Conversation([Route("notes:/a")])
        let written = Counter()
        router.state[OutgoingCalls.self].begin(.token("t1"), of: Conversation.peer.userID) { _ in
            Task {
                try? await Task.sleep(for: .milliseconds(20))
                written.add()
            }
        }
        #expect(await router.awaitedAnswer(to: "\(Self.base)t1/success") == "xcallback://x-callback-url/success")
        #expect(written.count == 1)
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

/// Counts calls of a closure.
private final class Counter: Sendable {
    private let number = Mutex(0)

    var count: Int { number.withLock { $0 } }

    func add() { number.withLock { $0 += 1 } }
}
