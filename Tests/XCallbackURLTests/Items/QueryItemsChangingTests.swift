import Testing
import XCallbackURL
import XCallbackWire

struct QueryItemsChangingTests {
    @Test func anItemWithAnotherNameKeepsItsPlaceAndItsEncodedValue() throws {
        var items = try ActionURL("app:/?a=1&b=x%2Cy,z&c").items
        items.rename { name in
            String(utf8: name) == "b" ? Array("list".utf8) : String(utf8: name) == "c" ? Array("d".utf8) : nil
        }
        #expect(items.texts == ["a=1", "list=x,y,z", "d"])
        let encoded = items.storage.bytes[items.entries[1].encodedValue]
        #expect(String(decoding: encoded, as: UTF8.self) == "x%2Cy,z")
    }

    @Test func unwantedItemsAreRemoved() throws {
        var items = try ActionURL("app:/?a=1&b=2&a=3").items
        items.removeItems { String(utf8: $0) == "a" }
        #expect(items.texts == ["b=2"])
    }

    @Test func whatAnItemIsReplacedWithIsOneValue() throws {
        var items = try ActionURL("app:/?a=x%2Cy,z&b=1").items
        items.replace(with: [
            .init(name: "a", value: "x,y,z"), .init(name: "a", value: "x,y,z"), .init(name: "c", value: nil),
        ])
        #expect(items.texts == ["a=x,y,z", "a=x,y,z", "c"])
        let encoded = (0..<2).map {
            String(decoding: items.storage.bytes[items.entries[$0].encodedValue], as: UTF8.self)
        }
        #expect(encoded == ["x%2Cy,z", "x%2Cy%2Cz"])
    }

    @Test func aCaptureWithAnotherValueStaysACapture() throws {
        let names = CaptureNames(["id"])
        let url = try ActionURL("app:/7?b=1")
        var items = QueryItems()
        items.reset(to: url, names)
        items.append(captureAt: 0, of: names, value: 5..<6)
        #expect(items.texts == ["id=7"])
        items.replace(with: [.init(name: "id", value: "8"), .init(name: "b", value: "2")])
        items.removeItems { _ in true }
        #expect(items.texts == ["id=8"])
    }
}
