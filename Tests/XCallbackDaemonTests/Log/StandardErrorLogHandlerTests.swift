import Logging
import Testing
import XCallbackDaemon
import XCallbackTesting

struct StandardErrorLogHandlerTests {
    static let levels: [(Logger.Level, plain: String, journal: String)] = [
        (.trace, "trace", "<7>"), (.debug, "debug", "<7>"), (.info, "info ", "<6>"), (.notice, "notice", "<5>"),
        (.warning, "warning", "<4>"), (.error, "error", "<3>"), (.critical, "critical", "<2>"),
    ]

    static let lines: [(message: String, metadata: Logger.Metadata, line: String)] = [
        ("route table loaded", [:], "route table loaded"),
        ("done", ["route.pattern": "/notes/:id", "peer.uid": "1000"], "done peer.uid=1000 route.pattern=/notes/:id"),
        ("a\nb\r\t\u{1b}[1m\0", [:], "a\\nb\\r\\t\\u{1b}[1m\\u{0}"),
        ("a\u{85}b\u{2028}c\u{202e}d", [:], "a\\u{85}b\\u{2028}c\\u{202e}d"),
        ("\"quoted\" \\ 日本", [:], "\"quoted\" \\ 日本"),
        ("m", ["k": ""], "m k=\"\""), ("m", ["k": "a b"], "m k=\"a b\""), ("m", ["k": "a\u{a0}b"], "m k=\"a\u{a0}b\""),
        ("m", ["k": "a\"b"], "m k=\"a\\\"b\""), ("m", ["k": "a\\b"], "m k=\"a\\\\b\""),
        ("m", ["k": "a\nb"], "m k=\"a\\nb\""), ("m", ["k": "\u{7f}"], "m k=\"\\u{7f}\""),
        ("m", ["k": "ß=é"], "m k=ß=é"),
        ("m", ["a key\n": "v"], "m \"a key\\n\"=v"), ("m", ["k": .stringConvertible(7)], "m k=7"),
    ]

    @Test(arguments: levels)
    func aLineBeginsAsItsFormatSays(level: Logger.Level, plain: String, journal: String) throws {
        let pipe = try Pipe()
        handler(pipe, .plain).log(event: event("m", level: level))
        #expect(pipe.drain() == "2026-11-21T06:10:00.123Z \(plain) m\n")
        handler(pipe, .journal).log(event: event("m", level: level))
        #expect(pipe.drain() == "\(journal)m\n")
    }

    @Test(arguments: lines)
    func anEventIsOneLine(message: String, metadata: Logger.Metadata, line: String) throws {
        let pipe = try Pipe()
        handler(pipe, .journal).log(event: event(message, metadata: metadata))
        #expect(pipe.drain() == "<6>\(line)\n")
    }

    @Test func metadataOfTheEventGoesBeforeTheHandlers() throws {
        let pipe = try Pipe()
        var handler = handler(pipe, .journal)
        handler.metadata = ["a": "handler"]
        handler[metadataKey: "c"] = "handler"
        handler.log(event: event("m", metadata: ["c": "event"]))
        #expect(pipe.drain() == "<6>m a=handler c=event\n")
        #expect(handler[metadataKey: "c"] == "handler")
    }

    @Test(arguments: ["x", "ß", "\n", "日"])
    func aLongLineIsCutAtAWholeCharacter(character: String) throws {
        let pipe = try Pipe()
        handler(pipe, .journal).log(event: event(String(repeating: character, count: 5_000)))
        let text = pipe.drain()
        let seen = character == "\n" ? "\\n" : character
        // Of 4,096 bytes three are the priority, three the sign of the cut, and one the line feed.
        #expect(text == "<6>" + String(repeating: seen, count: 4_089 / seen.utf8.count) + "…\n")
        #expect(text.utf8.count <= 4_096)
    }

    @Test func nothingFollowsAPlaceWhereALineIsCut() throws {
        let pipe = try Pipe()
        let long = String(repeating: "x", count: 4_088)
        handler(pipe, .journal).log(event: event(long, metadata: ["a": "ß", "b": "c"]))
        #expect(pipe.drain() == "<6>\(long) …\n")
    }

    private func handler(_ pipe: borrowing Pipe, _ format: LogLineFormat) -> StandardErrorLogHandler {
        let output = LineOutput(descriptor: pipe.writing, format: format) {
            .milliseconds(1_795_241_400_123)
        }
        return StandardErrorLogHandler(output: output)
    }

    private func event(_ text: String, level: Logger.Level = .info, metadata: Logger.Metadata? = nil) -> LogEvent {
        LogEvent(
            level: level, message: "\(text)", metadata: metadata, source: nil, file: "", function: "", line: 0)
    }
}
