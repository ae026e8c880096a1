import Logging
import Synchronization
import Testing
import XCallbackBuiltIns
import XCallbackConfiguration
import XCallbackRouter
import XCallbackTesting
import XCallbackURL
import XCallbackWire

struct LogMiddlewareTests {
    private static let text = """
        schemes: [notes]
        middleware: [log]
        log: { level: LEVEL }
        routes:
          - route: notes:/notes/:id
            strict: true
            policies: [{ rate: 3/d }]
            respond: { ok: 1 }
          - route: notes:/away
            public: true
            redirect: "app:/secret"
        """

    private static func router(_ level: String) throws -> (Configured, RecordedLog) {
        let log = RecordedLog()
        let text = text.replacing("LEVEL", with: level)
        return (try Configured(text, logger: Logger(label: "tests") { _ in log }), log)
    }

    static let lines: [(level: String, url: String, line: String)] = [
        ("info", "notes:/notes/1", ""), ("debug", "notes:/notes/1", "debug request succeeded notes:/notes/:id"),
        ("info", "notes:/none", "info request failed *:/*action 404"),
        ("info", "zzz:/none", "info request failed *:/*action 404"),
        ("info", "notes:/notes/1?secret=x", "info request failed notes:/notes/:id 422"),
        ("debug", "notes:/away", "debug request redirected notes:/away"),
    ]

    @Test(arguments: lines)
    func aLineNamesTheRouteAndNoValue(level: String, url: String, line: String) throws {
        var (router, log) = try Self.router(level)
        _ = router.answer(to: url)
        #expect(log.lines == (line.isEmpty ? [] : [line]))
    }

    static let messages: [(String, String)] = [
        ("notes:/typed/secret", "No route answers this action."),
        ("notes:/notes/1?n=secret", "Parameter 'n' must be a whole number."),
        ("notes:/notes/1?n=1&other=secret", "This action has no parameter 'other'."),
    ]

    @Test(arguments: messages)
    func aMessageNamesTheParameterAndNotItsValue(url: String, message: String) throws {
        let log = RecordedLog()
        var router = try Configured(
            """
            schemes: [notes]
            middleware: [log]
            routes:
              - route: notes:/notes/:id
                strict: true
                input:
                  n: int
                respond: { ok: 1 }
              - { route: "notes:/typed/:id", input: { id: int }, respond: { ok: 1 } }
            """, logger: Logger(label: "tests") { _ in log })
        _ = router.answer(to: url)
        #expect(log.value(of: "error.message") == message)
        #expect(!log.everything.contains("secret"))
    }

    static let schemes = [
        ("notes:/none", "notes"), ("ZZZ:/none/secret?a=secret", "zzz"),
        (String(repeating: "a", count: 2_000) + ":/none", String(repeating: "a", count: 64)),
    ]

    @Test(arguments: schemes)
    func whereNoRouteAnswersTheSchemeIsReported(url: String, scheme: String) throws {
        var (router, log) = try Self.router("info")
        _ = router.answer(to: url)
        #expect(log.value(of: "request.scheme") == scheme)
        #expect(!log.everything.contains("secret"))
    }

    static let valueLines: [(level: String, url: String, line: String)] = [
        ("debug", "notes:/notes/1?a=b%0Ac", "debug request succeeded notes:/notes/:id id=1&a=b%0Ac"),
        ("debug", "notes:/notes/1?x-success=app://done/token", "debug request succeeded notes:/notes/:id id=1"),
        ("debug", "notes:/bad/x", "info request failed notes:/bad/:id 422 id=x"),
        (
            "debug", "notes:/notes/" + String(repeating: "a", count: 2000),
            "debug request succeeded notes:/notes/:id id=" + String(repeating: "a", count: 1021) + "…"
        ),
        ("info", "notes:/bad/x", "info request failed notes:/bad/:id 422"),
    ]

    @Test(arguments: valueLines)
    func valuesAreWrittenAtDebugWhereTheyAreAskedFor(level: String, url: String, line: String) throws {
        let log = RecordedLog()
        var router = try Configured(
            """
            schemes: [notes]
            middleware: [{ log: { values: true } }]
            log: { level: \(level) }
            routes:
              - { route: "notes:/notes/:id", respond: { ok: 1 } }
              - { route: "notes:/bad/:id", input: { id: { type: string, min-length: 9 } }, respond: { ok: 1 } }
            """, logger: Logger(label: "tests") { _ in log })
        _ = router.answer(to: url)
        #expect(log.lines == [line])
    }

    @Test func noLineHasAPassword() throws {
        let log = RecordedLog()
        var router = try Configured(
            """
            schemes: { ssh: { syntax: url } }
            middleware: [{ log: { values: true } }]
            log: { level: debug }
            routes: [{ route: "ssh://:host", input: { "@password": { required: false } }, respond: { p: "{@password}" } }]
            """, logger: Logger(label: "tests") { _ in log })
        #expect(router.answer(to: "ssh://ann:secret@host?n=1").hasSuffix("?p=secret"))
        #expect(router.answer(to: "ssh://ann:secret@host/none").contains("errorCode=404"))
        #expect(log.lines == ["debug request succeeded ssh://:host host=host&n=1"])
        #expect(!log.everything.contains("secret"))
    }

    @Test func aLineTellsHowLongTheRequestTook() throws {
        let log = RecordedLog()
        let router = try Configured(
            """
            schemes: [notes]
            middleware: [log]
            log: { level: debug }
            routes: [{ route: "notes:/wait", exec: [sleep, "9"] }]
            """, logger: Logger(label: "tests") { _ in log })
        var execution = Execution(peer: Configured.peer, origin: .socket)
        let host = TestHost()
        var output = ByteBuffer()
        host.time = 100_000_000_000
        let pending = execution.answer(
            "notes:/wait".utf8.span, from: Configured.peer, origin: .socket, in: router.configuration.pipeline, host,
            into: &output)
        pending?.abandon()
        host.time += 1_234_000_000
        execution.interrupt(with: .cancel, host)
        #expect(log.value(of: "duration.usec") == "1234000")
        #expect(log.value(of: "request.outcome") == "cancel")
    }

    @Test func anExplanationWritesNoLine() throws {
        let (router, log) = try Self.router("debug")
        for url in ["notes:/notes/1", "notes:/none"] {
            let explanation = router.configuration.pipeline.explain(
                url.utf8.span, from: Configured.peer, origin: .socket)
            #expect(explanation.response != nil)
        }
        #expect(log.lines.isEmpty)
    }

    @Test func aRedirectThatIsRefusedIsLoggedAsAnError() throws {
        var (router, log) = try Self.router("info")
        _ = router.answer(to: "notes:/away")
        #expect(log.lines.isEmpty)
        _ = router.answer(to: "notes:/away", origin: .desktop)
        #expect(log.lines == ["info request failed notes:/away 403"])
    }
}

/// A log that keeps the level, the text, the route and the code of each line.
private final class RecordedLog: LogHandler {
    private let recorded = Mutex<[String]>([])
    private let lastMetadata = Mutex<Logger.Metadata>([:])
    private let level = Mutex(Logger.Level.info)
    var metadata: Logger.Metadata {
        get { [:] }
        set {}
    }
    var logLevel: Logger.Level {
        get { level.withLock { $0 } }
        set { level.withLock { $0 = newValue } }
    }

    var lines: [String] { recorded.withLock { $0 } }

    subscript(metadataKey key: String) -> Logger.MetadataValue? {
        get { nil }
        set {}
    }

    /// All of the metadata of the last line.
    var everything: String { lastMetadata.withLock { "\($0)" } }

    /// The metadata of the last line under a key.
    func value(of key: String) -> String? { lastMetadata.withLock { $0[key]?.description } }

    func log(event: LogEvent) {
        lastMetadata.withLock { $0 = event.metadata ?? [:] }
        let keys = ["route.pattern", "error.code", "request.parameters"]
        let parts = keys.compactMap { event.metadata?[$0]?.description }
        recorded.withLock { $0.append((["\(event.level) \(event.message)"] + parts).joined(separator: " ")) }
    }
}
