import TestSupport
import Testing
import XCallbackTesting
import XCallbackURL

struct CallbackTests {
    static let additions: [(text: String, items: QueryItems, result: String)] = [
        ("app:/a", ["r": "1"], "app:/a?r=1"), ("app:", ["r": "1"], "app:?r=1"), ("app://h", ["r": "1"], "app://h?r=1"),
        ("app:/a?", ["r": "1"], "app:/a?r=1"), ("app:/a?b", ["r": "1"], "app:/a?b&r=1"),
        ("app:/a?B=%2f%2B+%26&a=é", ["r": "1"], "app:/a?B=%2f%2B+%26&a=é&r=1"),
        ("app:/a?b=1&r=0&c=2&r=3", ["r": "1"], "app:/a?b=1&c=2&r=1"), ("app:/a?%72=0&b", ["r": "1"], "app:/a?b&r=1"),
        ("app:/a?R=0&rr=0&=r", ["r": "1"], "app:/a?R=0&rr=0&=r&r=1"),
        ("app:/a?a+b=0", ["a b": "1"], "app:/a?a+b=0&a%20b=1"),
        ("app:/a?a%2Bb=0", ["a+b": "1"], "app:/a?a%2Bb=1"), ("app:/a?%FF=0", ["r": "1"], "app:/a?%FF=0&r=1"),
        ("app:/a?=0", ["": "1"], "app:/a?=1"), ("app:/a?b=r", ["r": nil], "app:/a?b=r&r"),
        ("app:/a", ["q": "a b+c%\r\n\0é~&=#?/"], "app:/a?q=a%20b%2Bc%25%0D%0A%00%C3%A9~%26%3D%23%3F%2F"),
        ("app:/a?", [:], "app:/a?"), ("app:/a?b&", [:], "app:/a?b&"), ("app:/a?b#", [:], "app:/a?b#"),
        ("https://a.example/b?c=d#", ["c": "&#"], "https://a.example/b?c=d#c=%26%23"),
        ("HTTP://a#", ["b": nil], "HTTP://a#b"),
        ("https://a.example/#", [:], "https://a.example/#"), ("https://a/#b", ["c": "d"], "https://a/?c=d#b"),
        ("app:/a#", ["b": "c"], "app:/a?b=c#"), ("httpx://a#", ["b": "c"], "httpx://a?b=c#"),
    ]

    @Test(arguments: additions)
    func itemsAreAddedBehindTheQueryThatStays(text: String, items: QueryItems, result: String) throws {
        expect(try Callback(text).url(adding: items), equals: result)
    }

    static let faults: [(String, ActionURLError)] = [
        ("", ActionURLError(.missingScheme, at: 0)), ("/a", ActionURLError(.missingScheme, at: 0)),
        ("a b:/", ActionURLError(.missingScheme, at: 0)), ("app:/a b", ActionURLError(.rawControl, at: 6)),
        ("app://a\r\n", ActionURLError(.rawControl, at: 7)), ("app:?a=\0", ActionURLError(.rawControl, at: 7)),
        ("app:#\u{7F}", ActionURLError(.rawControl, at: 5)), ("app:/%", ActionURLError(.badEscape, at: 5)),
        ("app://%4x", ActionURLError(.badEscape, at: 6)), ("app:?a=%4", ActionURLError(.badEscape, at: 7)),
        ("app:/%41#%g1", ActionURLError(.badEscape, at: 9)),
    ]

    @Test(arguments: faults)
    func aTextThatIsNoURLIsRefused(text: String, fault: ActionURLError) {
        #expect(throws: fault) { try Callback(text) }
    }

    @Test func callbacksNestFiftyDeep() throws {
        var levels = [try ActionURL(scheme: "app", segments: ["end"], items: ["v": "%&+ é"])]
        while levels.count < 50 {
            let inner = levels[levels.count - 1].received
            // Encoding all but unreserved characters would double the length at each level.
            let value = inner.replacing("%", with: "%25").replacing("&", with: "%26")
            levels.append(try ActionURL("app:/l?x-success=\(value)"))
        }
        var text: String? = levels[levels.count - 1].received
        for level in levels.reversed() {
            #expect(text == level.received)
            text = try text.flatMap { try ActionURL($0).success }
        }
        #expect(text == nil)
    }

    @Test func theURLOfACallbackHoldsWhatItHeldAndWhatWasAdded() throws {
        var generator = SeededGenerator(seed: 2)
        for _ in 0..<2000 {
            let items = generator.items()
            let existing = generator.items()
            let callback = try ActionURL(scheme: "app", segments: generator.segments(), items: existing)
            let written = try Callback(callback.received).url(adding: items)
            let read = try ActionURL(written)
            let kept = existing.filter { !items.contains(name: $0.name) }
            #expect(Array(read.items) == kept + Array(items))
            #expect(read.segments == callback.segments)
        }
    }

    /// Many names are looked up otherwise than few.
    @Test(arguments: [1, 2, 63, 64, 65, 1000])
    func theNewItemsWinHoweverManyThereAre(count: Int) throws {
        var items = QueryItems()
        for number in 0..<count { items.append("n \(number)", "new") }
        let callback = try Callback("app:/a?kept=1&n%20\(count - 1)=old&n%20\(count)=kept&&n%FF=odd#end")
        let new = (0..<count).map { "n%20\($0)=new" }.joined(separator: "&")
        #expect(callback.url(adding: items) == "app:/a?kept=1&n%20\(count)=kept&&n%FF=odd&\(new)#end")
    }

    @Test func nothingIsWrittenRawThatWasNotInTheCallback() throws {
        var generator = SeededGenerator(seed: 3)
        for _ in 0..<2000 {
            let items = generator.items()
            let tail = generator.text(0...10).filter { !"?#%".contains($0) }
            guard let callback = try? Callback("app:/a?b=\(tail)") else { continue }
            let added = callback.url(adding: items).dropFirst(items.isEmpty ? 0 : "app:/a?".count)
            let own = callback.text.unicodeScalars
            for scalar in added.unicodeScalars where !(0x21...0x7E).contains(scalar.value) {
                #expect(own.contains(scalar))
            }
            #expect(!added.utf8.contains { $0 <= 0x20 })
        }
    }
}
