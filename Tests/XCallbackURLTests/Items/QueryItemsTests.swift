import Testing
import XCallbackURL

struct QueryItemsTests {
    private let items: QueryItems = ["a": "1", "b": nil, "a": "2", "c": "", "é": "ü"]

    @Test func itemsKeepTheirOrderAndRepeat() {
        #expect(items.map(\.name) == ["a", "b", "a", "c", "é"])
        #expect(items.map(\.value) == ["1", nil, "2", "", "ü"])
    }

    @Test func aNameFindsItsFirstItem() {
        #expect(items["a"] == "1")
        #expect(items["é"] == "ü")
        #expect(items["c"] == "")
    }

    @Test func allItemsOfANameAreRemoved() {
        var items = items
        items.removeAll(named: "a")
        #expect(items.map(\.name) == ["b", "c", "é"])
    }

    @Test func listsAreEqualWhateverBufferHoldsThem() throws {
        let parsed = try ActionURL("n:/a?a=%31&b&a=2&c=&%C3%A9=ü").items
        #expect(parsed == items)
        #expect(parsed.hashValue == items.hashValue)
    }

    @Test func aListThatIsResetIsEmpty() {
        var items = items
        items.reset(to: ActionURL(), CaptureNames([]))
        #expect(items.isEmpty)
        items.append("d", "3")
        #expect(items == ["d": "3"])
    }
}
