import Testing
import XCallbackURL
import XCallbackWire

struct HiddenItemsTests {
    static let rows: [(text: String, rest: String, items: [String])] = [
        ("app:/a?token=s3cret", "app:/a", []), ("app:/a?token=s3cret&b=1", "app:/a?b=1", ["b=1"]),
        ("app:/a?b=1&token=s3cret", "app:/a?b=1", ["b=1"]),
        ("app:/a?b=1&token=s3cret&c=2", "app:/a?b=1&c=2", ["b=1", "c=2"]),
        ("app:/a?token=s3cret&token=s3cret", "app:/a", []),
        ("app:/a?b=1&token=s3cret&token=s3cret#f", "app:/a?b=1#f", ["b=1"]),
        ("app:/a?t%6Fken=s3%63ret&b=%20", "app:/a?b=%20", ["b= "]), ("app:/a?token#f", "app:/a#f", []),
        ("app:/a?token=&b", "app:/a?b", ["b"]),
        ("app:/a?b=token&tokens=1", "app:/a?b=token&tokens=1", ["b=token", "tokens=1"]),
        ("app:/a?&&token=s3cret&&b=1", "app:/a?&&&b=1", ["b=1"]),
        ("app:/a?x-success=app:done?b%3D1&token=s3cret&b=2", "app:/a?x-success=app:done?b%3D1&b=2", ["b=2"]),
    ]

    @Test(arguments: rows)
    func nothingIsLeftOfWhatIsHidden(text: String, rest: String, items: [String]) throws {
        var url = try ActionURL(text)
        url.hideItems { areEqual($0, "token") }
        #expect(url.received == rest)
        #expect(url.items.texts == items)
        let storage = String(decoding: url.storage.bytes[..<url.storage.count], as: UTF8.self)
        #expect(!storage.contains("s3cret") && !storage.contains("s3%63ret"))
    }

    @Test func callbacksStayWhereTheyAre() throws {
        var url = try ActionURL("app:/a?token=1&x-success=app:done?a%3D1&token=2&x-error=app:failed&x-source=me")
        url.hideItems { areEqual($0, "token") }
        #expect(url.success == "app:done?a=1")
        #expect(url.error == "app:failed")
        #expect(url.source == "me")
    }
}
