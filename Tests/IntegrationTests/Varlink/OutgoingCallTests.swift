import Glibc
import Synchronization
import TestSupport
import Testing
import XCallback
import XCallbackAdministration
import XCallbackTesting
import XCallbackWire

/// Calls to other applications, which answer by opening their callbacks.
@Suite(.timeLimit(.minutes(10)))
struct OutgoingCallTests {
    /// The timeout of a call, which exceeds the time that other tests may occupy the threads shared by all tasks.
    private static let patience = "call-time: 10m"
    private static let configuration = """
        schemes: [notes]
        callbacks: { allow: [done] }
        routes:
          - { route: notes:/echo, respond: { text: "{text}" } }
        """

    private let daemon: RunningDaemon

    init() throws { daemon = try RunningDaemon("limits: { \(Self.patience) }\n\(Self.configuration)") }

    static let answers: [(callback: String, query: String, response: Response)] = [
        ("x-success", "?a=1&a=2&b&c=%26", .success(["a": "1", "a": "2", "b": nil, "c": "&"])),
        ("x-cancel", "", .cancel),
        (
            "x-error", "?errorCode=7&errorMessage=No",
            .error(CallbackError(.init(rawValue: 7), "No", items: ["errorCode": "7", "errorMessage": "No"]))
        ),
    ]

    @Test(arguments: answers)
    func anApplicationsAnswerReachesWhoHasCalled(callback: String, query: String, response: Response) async throws {
        let answer = try await Client(socket: daemon.socket).call("app://x-callback-url/do?a=b%20c#d") { url in
            #expect(url.hasPrefix("app://x-callback-url/do?a=b%20c&x-source=xcallback&x-success=xcallback%3A%2F%2F"))
            #expect(url.hasSuffix("#d"))
            let reply = try Self.open(Self.target(of: url, callback) + query, in: daemon)
            #expect(reply == Self.accepted)
        }
        #expect(answer.response == response)
        #expect(answer.author == .handler)
        #expect(answer.open == nil)
    }

    /// A `+` is a plus, unless the caller specifies that the application encodes forms; then only an encoded one is a plus.
    @Test(arguments: [(false, "a+b"), (true, "a b")])
    func aPlusIsReadAsTheCallerSays(readsForm: Bool, text: String) async throws {
        let answer = try await Client(socket: daemon.socket).call("app:/do", readingForm: readsForm) { url in
            let reply = try Self.open(Self.target(of: url, "x-success") + "?a=a+b&b=%2B", in: daemon)
            #expect(reply == Self.accepted)
        }
        #expect(answer.response == .success(["a": text, "b": "+"]))
    }

    /// The callbacks in a URL, and their handling.
    static let ownCallbacks: [(callbacks: QueryItems, open: String?, url: String)] = [
        (["x-success": "done:/ok?id=1"], "done:/ok?id=1&text=a", "done:/ok?id=1&text=a"),
        (["x-error": "done:/e"], nil, "xcallback://x-callback-url/success?text=a"),
        (["x-success": "notes:/echo"], nil, "notes:/echo?text=a"),
        (
            ["x-success": "notes:/echo?x-success=done%3A%2Fok"], "done:/ok?text=a",
            "notes:/echo?x-success=done%3A%2Fok&text=a"
        ),
    ]

    @Test(arguments: ownCallbacks)
    func theCallbacksOfTheURLItselfAreHonouredAfterwards(
        callbacks: QueryItems, open: String?, url: String
    ) async throws {
        let called = try Callback("app:/do").url(adding: callbacks)
        let answer = try await Client(socket: daemon.socket).call(called) { url in
            let reply = try Self.open(Self.target(of: url, "x-success") + "?text=a", in: daemon)
            #expect(reply == Self.accepted)
        }
        #expect(answer.response == .success(["text": "a"]))
        #expect(answer.url == url)
        #expect(answer.open == open)
    }

    /// A callback of the caller, the text that the application appends, the resulting request, and its outcome.
    static let fixedParameters: [(callback: String, added: String, url: String, open: String?)] = [
        // Existing parameters stay: as a name with a value, without one, encoded, or as an element of a list.
        ("notes:/move?to=home", "?to=away&id=7", "notes:/move?to=home&id=7", "done:/home?id=7"),
        ("notes:/move?t%6F=home", "?to=away&to=far&id=7", "notes:/move?t%6F=home&id=7", "done:/home?id=7"),
        ("notes:/move?to=home#to", "?%74o=away", "notes:/move?to=home#to", "done:/home"),
        ("notes:/move?to=home&id", "?id=7&to=away", "notes:/move?to=home&id", "done:/home?id"),
        ("notes:/list?tag=a", "?tag.0=b&tag.1=c&n=1", "notes:/list?tag=a&n=1", "done:/list?tag=a&n=1"),
        ("notes:/list?tag.0=a", "?tag=b&tag.a=1", "notes:/list?tag.0=a&tag.a=1", "done:/list?tag=a"),
        ("notes:/move", "?to=away&id=7", "notes:/move?to=away&id=7", "done:/away?id=7"),
        // Another application handles its own URLs, and the result takes precedence as with any callback.
        ("done:/ok?to=home", "?to=away", "done:/ok?to=away", "done:/ok?to=away"),
    ]

    @Test(arguments: fixedParameters)
    func anApplicationReplacesNothingOfACallbackToAnOwnScheme(
        callback: String, added: String, url: String, open: String?
    ) async throws {
        let daemon = try RunningDaemon(
            """
            limits: { \(Self.patience) }
            schemes: [notes]
            callbacks: { allow: [done] }
            routes:
              - { route: notes:/move, input: { to: string }, redirect: "done:/{to}?id={id}" }
              - route: notes:/list
                input: { tag: { type: list, of: string } }
                redirect: "done:/list?tag={tag}&n={n}"
            """)
        let called = try Callback("app:/do").url(adding: ["x-success": callback])
        let answer = try await Client(socket: daemon.socket).call(called) { url in
            let reply = try Self.open(Self.target(of: url, "x-success") + added, in: daemon)
            #expect(reply == Self.accepted)
        }
        #expect(answer.url == url)
        #expect(answer.open == open)
    }

    @Test func aFollowedAnswerCanReportProgress() async throws {
        let daemon = try RunningDaemon(
            """
            schemes: [notes]
            routes: [{ route: "notes:/slow", exec: [sh, -c, "echo half >&2; sleep 0.4"], progress: true }]
            """)
        let called = try Callback("app:/do").url(adding: ["x-success": "notes:/slow"])
        let seen = Mutex<[String]>([])
        let report = { @Sendable (progress: RequestProgress) in seen.withLock { $0.append(progress.text) } }
        let answer = try await Client(socket: daemon.socket).call(called, progress: report) { url in
            let reply = try Self.open(Self.target(of: url, "x-success"), in: daemon)
            #expect(reply == Self.accepted)
        }
        #expect(answer.response == .success([:]))
        #expect(seen.withLock { $0 } == ["half"])
    }

    @Test func aResultOfAnOwnRouteStillWins() async throws {
        let called = try Callback("notes:/echo?text=a").url(adding: ["x-success": "notes:/echo?text=b"])
        let answer = try await Client(socket: daemon.socket).call(called) { _ in Issue.record("it is opened") }
        #expect(answer.response == .success(["text": "a"]))
    }

    @Test func silenceEndsWithATimeOut() async throws {
        let late = Mutex("")
        let answer = try await Client(socket: daemon.socket).call("app:/do", within: .milliseconds(50)) { url in
            late.withLock { $0 = url }
        }
        #expect(answer.response == .error(CallbackError(.timedOut, "The application did not answer in time.")))
        #expect(answer.author == .daemon)
        let target = try Self.target(of: late.withLock { $0 }, "x-success")
        expect(try Self.open(target, in: daemon)) { $0?.hasPrefix(failure(403)) == true }
        expect(try daemon.stop(), equals: 0)
        expect(try daemon.log) { $0.contains("rejected an answer to a call: it is late, repeated or forged") }
        expect(try daemon.log) { !$0.contains("/return/") }
    }

    @Test func aCallerThatGoesAwayIsForgotten() async throws {
        let client = Client(socket: daemon.socket)
        struct Refusal: Error {}
        let opened = Mutex("")
        await #expect(throws: Refusal.self) {
            _ = try await client.call("app:/do") { url in
                opened.withLock { $0 = url }
                throw Refusal()
            }
        }
        let target = try Self.target(of: opened.withLock { $0 }, "x-success")
        try await suspendUntil("the daemon has noticed") {
            try await client.status().limits.first { $0.name == "streams" }?.used == 0
        }
        expect(try Self.open(target, in: daemon)) { $0?.hasPrefix(failure(403)) == true }
    }

    @Test func callsThatWaitAreLimited() async throws {
        let daemon = try RunningDaemon("limits: { streams: 1, \(Self.patience) }\n\(Self.configuration)")
        let client = Client(socket: daemon.socket)
        let answer = try await client.call("app:/first") { url in
            let other = try await client.call("app:/second?x-error=done:/e") { _ in Issue.record("it is opened") }
            #expect(
                other.response
                    == .error(
                        CallbackError(
                            .tooMany,
                            "User \(geteuid()) has reached a limit: 1 of 1 streams and outgoing calls (seven eighths of limits: streams)."
                        )))
            #expect(other.open?.hasPrefix("done:/e?errorCode=429&") == true)
            let reply = try Self.open(Self.target(of: url, "x-cancel"), in: daemon)
            #expect(reply == Self.accepted)
        }
        #expect(answer.response == .cancel)
    }

    @Test(arguments: [SIGTERM, SIGKILL])
    func aDaemonThatEndsEndsAllItsCallsAtOnce(signal: Int32) async throws {
        let count = 1500
        let daemon = try RunningDaemon("limits: { drain-time: 20m, \(Self.patience) }\n\(Self.configuration)")
        let client = Client(socket: daemon.socket, limit: count)
        let opened = EventLog()
        let process = daemon.process.id
        let outcomes = await withTaskGroup(of: Result<Response, any Error>.self) { group in
            for number in 0..<count {
                group.addTask {
                    do {
                        let answer = try await client.call("app:/do?n=\(number)") { url in
                            opened.add(url)
                            let all = opened.all
                            if all.count == count, all.last == url { kill(process, signal) }
                        }
                        return .success(answer.response)
                    } catch {
                        return .failure(error)
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(outcomes.count == count)
        for outcome in outcomes {
            switch outcome {
            case .success(let response):
                #expect(signal == SIGTERM)
                #expect(response == .error(CallbackError(.unavailable, "The daemon is shutting down.")))
            case .failure(let error):
                #expect(signal == SIGKILL)
                #expect((error as? ClientError)?.reason == .disconnected)
                #expect("\(error)".contains("its answer is lost"))
            }
        }
        expect(try daemon.process.wait(), equals: (signal == SIGTERM ? 0 : 128 + SIGKILL))
    }

    static let faults: [(url: String, text: String)] = [
        ("javascript:alert(1)", "because they can run code"), ("file:///etc/passwd", "because they can run code"),
        ("MS-word:x", "because they can run code"), ("app:/do?a=%", "bad escape"),
        ("app:/a b", "a space or control character"),
        ("app:/do?x-success=javascript:1", "'x-success' has a scheme or host that 'callbacks: { allow"),
        ("app:/do?x-success=other:/x", "'x-success' has a scheme or host that 'callbacks: { allow"),
        ("nothing", "no scheme"),
    ]

    @Test(arguments: faults)
    func whatCannotBeCalledIsRefusedBeforeItIsOpened(url: String, text: String) async throws {
        let answer = try await Client(socket: daemon.socket).call(url) { _ in Issue.record("it is opened") }
        guard case .error(let error) = answer.response else {
            Issue.record("\(answer)")
            return
        }
        #expect(error.code == .malformed)
        #expect(error.message.contains(text), "\(error.message)")
        #expect(answer.author == .daemon)
    }

    @Test(.enabled(if: geteuid() == 0, "only root may become another user"))
    func onlyTheUserWhoHasCalledMayAnswer() async throws {
        daemon.admitOtherUsers()
        let answer = try await Client(socket: daemon.socket).call("app:/do") { url in
            let target = try Self.target(of: url, "x-success")
            let shell = "printf '%s\\n' '\(target)' | setpriv --reuid 65534 --clear-groups nc -N -U \(daemon.socket)"
            expect(try ChildProcess.run(["/bin/sh", "-c", shell]).output) { $0.hasPrefix(failure(403)) }
            expect(try Self.open(target, in: daemon), equals: Self.accepted)
        }
        #expect(answer.response == .success([:]))
        expect(try daemon.stop(), equals: 0)
        expect(try daemon.log) { $0.contains("call.of-another-user=true peer.uid=65534") }
    }

    private static let accepted = "xcallback://x-callback-url/success"

    /// Returns the URL that an application would open, from the URL that it was given.
    private static func target(of url: String, _ callback: String) throws -> String {
        let url = try ActionURL(url)
        switch callback {
        case "x-success": return try #require(url.success)
        case "x-error": return try #require(url.error)
        default: return try #require(url.cancel)
        }
    }

    /// Returns the daemon's answer to a URL, as a line.
    private static func open(_ url: String, in daemon: RunningDaemon) throws -> String? {
        try daemon.connect().ask(url)
    }
}
