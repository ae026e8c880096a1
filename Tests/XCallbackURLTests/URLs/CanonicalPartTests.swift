import TestSupport
import Testing
import XCallbackTesting
import XCallbackURL
import XCallbackWire

/// The action and the query of a URL as programs and other URLs get them.
struct CanonicalPartTests {
    static let actions = [
        ("app:", "/"), ("app:/", "/"), ("app://x-callback-url", "/"), ("app:/a%2Fb", "/a%2Fb"),
        ("app:/a%2fb", "/a%2Fb"),
        ("app:/a:b@c;d=e,f+g!$&'()*", "/a%3Ab%40c%3Bd%3De%2Cf%2Bg%21%24%26%27%28%29%2A"), ("app:/~-._", "/~-._"),
        ("app:/..%3Bx/%252E%252e", "/..%3Bx/%252E%252e"), ("app:/%5C\\", "/%5C%5C"),
        ("app:/%E2%80%AEé", "/%E2%80%AE%C3%A9"),
        ("app:/%3F%23%25", "/%3F%23%25"), ("app:/%0A%1B", "/%0A%1B"), ("app:a/x-callback-url", "/a/x-callback-url"),
    ]

    @Test(arguments: actions)
    func inASegmentOnlyUnreservedCharactersStayAsTheyAre(text: String, action: String) throws {
        expect(try ActionURL(text).canonicalAction, equals: action)
    }

    static let queries = [
        ("", ""), ("?", ""), ("?&&", ""), ("?a", "a"), ("?a=", "a="), ("?=b", "=b"), ("?a=1&&b&a=2", "a=1&b&a=2"),
        ("?a=%2f+%2B:@/?!$'()*,;=", "a=%2f+%2B:@/?!$'()*,;="), ("?a=1#b=2", "a=1"),
        ("?\"<>\\^`{|}[]", "%22%3C%3E%5C%5E%60%7B%7C%7D%5B%5D"), ("?é=\u{202E}", "%C3%A9=%E2%80%AE"),
        ("?x-success=app:&X-Error=1&%78-cancel&x%2dA=1&k=x-a&x=1", "k=x-a&x=1"), ("?x-source=me", ""),
        ("?a=%78-success%3Dapp:", "a=%78-success%3Dapp:"),
    ]

    @Test(arguments: queries)
    func theQueryIsAsItCameWithoutItemsOfTheProtocol(query: String, result: String) throws {
        expect(try ActionURL("app:/a\(query)").canonicalQuery, equals: result)
    }

    @Test func whatIsHiddenIsNotInTheQuery() throws {
        for text in ["token=s&b=1", "b=1&t%6Fken=s", "token=s&b=1&token", "b=1"] {
            var url = try ActionURL("app:/a?\(text)")
            url.hideItems { areEqual($0, "token") }
            #expect(url.canonicalQuery == "b=1")
        }
    }

    @Test func aFormDoesNotChangeTheQuery() throws {
        var url = try ActionURL("app:/a?a+b=c+d")
        url.decodeItemsAsForm()
        #expect(url.canonicalQuery == "a+b=c+d")
    }

    @Test func aHostThatIsIgnoredIsNoSegment() throws {
        for (text, action) in [("app://host/a/b", "/a/b"), ("app:/a/b", "/a/b"), ("app://host", "/")] {
            var url = try ActionURL(text)
            for _ in 0..<2 { url.ignoreHost() }
            #expect(url.canonicalAction == action)
            #expect(url.received == text)
        }
    }

    @Test func whatIsWrittenIsReadBackTheSame() throws {
        var random = SeededGenerator(seed: 17)
        for _ in 0..<1_000 {
            let url = try ActionURL(scheme: "app", segments: random.segments(), items: random.items())
            let mark = url.received.contains("?") ? "&" : "?"
            let raw = try ActionURL("\(url.received)\(mark)\u{202E}\"=[]&x-A=1&&b")
            for url in [url, raw] {
                let (action, query) = (url.canonicalAction, url.canonicalQuery)
                let again = try ActionURL("other://x-callback-url\(action)?\(query)#")
                #expect(again.segments == url.segments)
                #expect(again.items == url.items)
                #expect((again.canonicalAction, again.canonicalQuery) == (action, query))
                let bytes = (action + query).utf8
                #expect(bytes.allSatisfy { (0x21...0x7E).contains($0) && !"\"<>\\^`{|}[]#".utf8.contains($0) })
            }
        }
    }
}
