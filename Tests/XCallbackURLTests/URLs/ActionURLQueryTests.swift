import TestSupport
import Testing
import XCallbackURL

struct ActionURLQueryTests {
    static let queries: [(String, [String])] = [
        ("", []), ("a=1", ["a=1"]), ("p=100%25", ["p=100%"]), ("p=%2541", ["p=%41"]), ("k", ["k"]), ("k=", ["k="]),
        ("k&k=", ["k", "k="]), ("a=b=c", ["a=b=c"]), ("a==", ["a=="]), ("=v", ["=v"]), ("=", ["="]),
        ("b=1&a=2&b=3", ["b=1", "a=2", "b=3"]), ("a=1&&b=2", ["a=1", "b=2"]), ("&&", []), ("&a=1&", ["a=1"]),
        ("a=1+2", ["a=1+2"]), ("a+b=c", ["a+b=c"]), ("a%2Bb=c%2Bd", ["a+b=c+d"]), ("a=%26%3D", ["a=&="]),
        ("a%3Db=c", ["a=b=c"]), ("q=a/b?c:d@e", ["q=a/b?c:d@e"]), ("é=日", ["é=日"]), ("%C3%A9=%E6%97%A5", ["é=日"]),
        ("a=1#b=2", ["a=1"]), ("a#=2", ["a"]), ("a=%0D%0A%09", ["a=\r\n\t"]), ("a=..", ["a=.."]), ("x=1", ["x=1"]),
        ("a=1?b=2", ["a=1?b=2"]), ("y-x=1", ["y-x=1"]), ("a=%F0%9F%98%80", ["a=😀"]),
    ]

    @Test(arguments: queries)
    func aQueryIsSplitAndThenDecodedOnce(query: String, items: [String]) throws {
        expect(try ActionURL("notes:/a?\(query)").items.texts, equals: items)
    }

    static let protocolNames = [
        "x-foo", "X-Foo", "x-", "X-SUCCESS", "X-success", "x-Error", "%78-foo", "x%2Dsource", "%58%2Dcancel",
        "x-source", "x-success", "x-error", "x-cancel", "x-successs",
    ]

    @Test(arguments: protocolNames)
    func aNameOfTheProtocolIsNeverAmongTheItems(name: String) throws {
        expect(try ActionURL("notes:/a?a=1&\(name)=v&b=2").items.texts, equals: ["a=1", "b=2"])
        expect(try ActionURL("notes:/a?\(name)").items) { $0.isEmpty }
    }

    @Test func theFourNamesInLowerCaseAct() throws {
        let url = try ActionURL("n:/a?x-cancel=c:&x-source=s%20p&x-success=a%3A/b%3Fc%3Dd%26e&x%2Derror=e:")
        #expect(url.source == "s p")
        #expect(url.success == "a:/b?c=d&e")
        #expect(url.error == "e:")
        #expect(url.cancel == "c:")
        #expect(url.protocolItems.texts == ["x-source=s p", "x-success=a:/b?c=d&e", "x-error=e:", "x-cancel=c:"])
    }

    @Test(arguments: ["X-Source", "X-Success", "x-Error", "X-CANCEL", "%58-cancel"])
    func anyOtherCaseDoesNotAct(name: String) throws {
        let url = try ActionURL("notes:/a?\(name)=app:/b&\(name)=app:/c")
        #expect(url.protocolItems.isEmpty)
    }

    static let repeats: [(query: String, name: String, offset: Int)] = [
        ("x-success=a:&x-success=a:", "x-success", 22), ("x-error=a:&b=1&x-error=b:", "x-error", 24),
        ("x-source=a&x%2Dsource=a", "x-source", 20), ("x-cancel&x-cancel", "x-cancel", 18),
    ]

    @Test(arguments: repeats)
    func oneOfTheFourMayNotRepeat(query: String, name: String, offset: Int) throws {
        let error = try #require(throws: ActionURLError.self) { try ActionURL("notes:/a?\(query)") }
        #expect(error == ActionURLError(.repeatedItem(name), at: offset))
    }

    @Test func moreItemsThanTheLimitAreRefused() throws {
        let items = Array(repeating: "a", count: 256).joined(separator: "&")
        expect(try ActionURL("notes:/a?\(items)").items.count, equals: 256)
        expect(try ActionURL("notes:/a?&&\(items)&&").items.count, equals: 256)
        let error = try #require(throws: ActionURLError.self) { try ActionURL("notes:/a?\(items)&b") }
        #expect(error.reason == .tooManyItems(limit: 256))
        #expect(error.callbackError.code == .tooLarge)
    }

    @Test func moreSegmentsThanTheLimitAreRefused() throws {
        let path = Array(repeating: "a", count: 1024).joined(separator: "/")
        expect(try ActionURL("notes:/\(path)/?b").segments.count, equals: 1024)
        let error = try #require(throws: ActionURLError.self) { try ActionURL("notes:/\(path)/b") }
        #expect(error.reason == .tooManySegments(limit: 1024))
        #expect(error.callbackError.code == .tooLarge)
    }

    @Test(arguments: [(URLSyntax.callback, 1), (.url, 3)])
    func theItemsOfTheProtocolCountToo(syntax: URLSyntax, count: Int) throws {
        let text = "n:/a?x-source=s&X-Foo=1&a"
        var url = ActionURL()
        try url.parse(text.utf8.span, as: syntax, maximumItems: 3)
        #expect(url.items.count == count)
        #expect(throws: ActionURLError(.tooManyItems(limit: 2), at: 24)) {
            try url.parse(text.utf8.span, as: syntax, maximumItems: 2)
        }
    }

    static let forms: [(String, [String])] = [
        ("a=1+2", ["a=1 2"]), ("a+b=c", ["a b=c"]), ("a=1%2B2", ["a=1+2"]), ("a=+%20+", ["a=   "]), ("a+", ["a "]),
        ("a=b", ["a=b"]), ("a=+%C3%A9+é", ["a= é é"]), ("k&l=", ["k", "l="]),
    ]

    @Test(arguments: forms)
    func aFormWritesBlanksAsPlus(query: String, items: [String]) throws {
        var url = try ActionURL("notes:/a+b?\(query)&x-source=s+t")
        url.decodeItemsAsForm()
        #expect(url.items.texts == items)
        #expect(url.segments == ["a+b"])
        #expect(url.source == "s+t")
    }
}
