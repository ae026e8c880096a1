import TestSupport
import Testing
import XCallbackTesting
import XCallbackURL

struct ActionURLTests {
    static let spellings = [
        "notes://x-callback-url/a/b", "notes:///a/b", "notes:/a/b", "notes:a/b", "notes:/x-callback-url/a/b",
        "notes://a/b", "NOTES://X-Callback-URL/a/b", "Notes:/X-CALLBACK-URL/a/b", "notes://x-callback-url/a/b/",
        "notes:/a/b#fragment", "notes:/a/b#?x=1/../", "notes:/a/b?", "notes:/%61/%62", "notes://%61/b",
    ]

    @Test(arguments: spellings)
    func everySpellingNamesTheSameAction(text: String) throws {
        let url = try ActionURL(text)
        #expect(url.scheme == "notes")
        #expect(url.segments == ["a", "b"])
        #expect(url.items.isEmpty)
    }

    static let actions: [(String, [String])] = [
        ("notes:", []), ("notes:/", []), ("notes://", []), ("notes:///", []), ("notes:?a=1", []),
        ("notes://x-callback-url", []), ("notes://x-callback-url/", []), ("notes://x-callback-url?a=1", []),
        ("notes:/x-callback-url", []), ("notes:/x-callback-url/", []), ("notes:#a", []), ("notes://#a", []),
        ("obsidian://open?vault=x", ["open"]), ("notes://Open", ["Open"]), ("notes://Open/File", ["Open", "File"]),
        ("notes:x-callback-url/a", ["x-callback-url", "a"]),
        ("notes://x-callback-url/x-callback-url", ["x-callback-url"]),
        ("notes:///x-callback-url/a", ["x-callback-url", "a"]),
        ("notes:/a/x-callback-url", ["a", "x-callback-url"]),
        ("notes:/A/b", ["A", "b"]), ("notes:/a%2Fb/c", ["a/b", "c"]), ("notes://a%2Fb/c", ["a/b", "c"]),
        ("notes:/%252F", ["%2F"]), ("notes:/a+b", ["a+b"]), ("notes:/é/%C3%A9", ["é", "é"]), ("notes:/日本", ["日本"]),
        ("notes:/...", ["..."]), ("notes:/.a/..b/a.", [".a", "..b", "a."]), ("notes:/a:b@c", ["a:b@c"]),
        ("notes:/a=1&b", ["a=1&b"]), ("notes:/a;v=1", ["a;v=1"]), ("notes:/a%0Ab%20c", ["a\nb c"]),
    ]

    @Test(arguments: actions)
    func anActionIsSplitAndThenDecodedOnce(text: String, segments: [String]) throws {
        expect(try ActionURL(text).segments, equals: segments)
    }

    static let schemes = ["a", "A", "notes", "web+notes", "x.y-z+1", "h2"]

    @Test(arguments: schemes)
    func aSchemeIsKeptAndReportedInLowerCase(scheme: String) throws {
        let url = try ActionURL("\(scheme):/a")
        #expect(url.scheme == scheme.lowercased())
        #expect(url.received.hasPrefix(scheme))
    }

    static let oddHosts: [(String, Int)] = [
        ("notes://user@host/a", 12), ("notes://host:80/a", 12), ("notes://[::1]/a", 8), ("notes://@/a", 8),
        ("notes://x-callback-url:80/a", 22), ("notes://me@x-callback-url/a", 10),
    ]

    @Test(arguments: oddHosts)
    func aHostThatIsNoPlainNameIsNotedWithItsPlace(text: String, offset: Int) throws {
        expect(try ActionURL(bytes: Array(text.utf8)).oddHostOffset, equals: offset)
        let error = try #require(throws: ActionURLError.self) { try ActionURL(text) }
        #expect(error == ActionURLError(.notAHostName, at: offset))
    }

    @Test func anEscapedMarkInAHostIsPartOfItsName() throws {
        let url = try ActionURL("notes://a%40b%3A1/c")
        #expect(url.segments == ["a@b:1", "c"])
        #expect(url.oddHostOffset == nil)
    }

    @Test func onlyAHostThatIsASegmentIsNotedAsOne() throws {
        #expect(try ActionURL("notes://open/a").hostIsSegment)
        for text in ["notes:/open/a", "notes:///open", "notes://x-callback-url/open", "notes:open"] {
            #expect(try !ActionURL(text).hostIsSegment)
        }
    }

    @Test func theReceivedBytesAreKept() throws {
        let text = "NoTes://X-callback-url/%61/b/?q=%2f+é&&x-SUCCESS=1#f%zz"
        let url = try ActionURL(text)
        #expect(url.received == text)
        #expect(url.description == text)
    }

    @Test func urlsAreEqualWhenTheirReceivedBytesAre() throws {
        expect(try ActionURL("notes:/é?a=%41"), equals: try ActionURL("notes:/é?a=%41"))
        #expect(try ActionURL("notes:/a") != ActionURL("notes:///a"))
    }

    @Test func parsingAgainLeavesNothingOfTheURLBefore() throws {
        var generator = SeededGenerator(seed: 11)
        var reused = ActionURL()
        for _ in 0..<3000 {
            let text = generator.anyURL()
            var fresh = ActionURL()
            let isURL = fresh.isParsed(text)
            let isURLAgain = reused.isParsed(text)
            #expect(isURLAgain == isURL, "\(text)")
            if isURL { #expect(reused.contents == fresh.contents, "\(text)") }
            #expect(reused.received == fresh.received)
        }
    }
}

extension SeededGenerator {
    /// The text of a URL, or of something that is nearly one.
    mutating func anyURL() -> String {
        let pieces = [
            "://", "/", "x-callback-url", "a", "%2e", ".", "é", "%41", "?", "&", "=", "x-success=", "x-error=app:",
            "x-source=s", "k", "#", "%", "+", "@", "x-cancel=app%3A/a", "://host", "%C3",
        ]
        let count = Int.random(in: 0...12, using: &self)
        return (0..<count).reduce("notes:") { text, _ in
            text + pieces[Int.random(in: 0..<pieces.count, using: &self)]
        }
    }
}
