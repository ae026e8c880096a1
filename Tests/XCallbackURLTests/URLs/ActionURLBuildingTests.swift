import Testing
import XCallbackTesting
import XCallbackURL

struct ActionURLBuildingTests {
    @Test func aBuiltURLEncodesAllButUnreservedCharacters() throws {
        let url = try ActionURL(
            scheme: "notes", segments: ["a/b", "é~"], items: ["q": "1+1=2 & 3", "k": nil, "e": "", "-._~": "z"])
        #expect(
            url.received == "notes://x-callback-url/a%2Fb/%C3%A9~?q=1%2B1%3D2%20%26%203&k&e=&-._~=z")
    }

    @Test func aBuiltURLIsReadBackAsItWasGiven() throws {
        var generator = SeededGenerator(seed: 1)
        for _ in 0..<2000 {
            let segments = generator.segments()
            let items = generator.items()
            let built = try ActionURL(scheme: "notes", segments: segments, items: items)
            let read = try ActionURL(built.received)
            #expect(read.segments == segments)
            #expect(read.items == items)
            #expect(read.received.utf8.allSatisfy { (0x21...0x7E).contains($0) })
        }
    }

    static let schemes = ["", "1a", "a b", "é", "a:", "a:?", "a:#", "a:/b?c=", "a:b", "a/", "notes://host?"]

    @Test(arguments: schemes)
    func aSchemeThatIsNoneIsRefused(scheme: String) throws {
        let error = try #require(throws: ActionURLError.self) { try ActionURL(scheme: scheme, segments: ["a"]) }
        #expect(error.reason == .missingScheme)
    }

    static let segments: [([String], ActionURLError.Reason)] = [
        ([""], .emptySegment), (["a", ""], .emptySegment), (["", "a"], .emptySegment), (["a", "", "b"], .emptySegment),
        (["."], .dotSegment), (["a", ".."], .dotSegment), (["a\0"], .nul),
    ]

    @Test(arguments: segments)
    func aSegmentThatCannotBeWrittenIsRefused(segments: [String], reason: ActionURLError.Reason) throws {
        let error = try #require(throws: ActionURLError.self) { try ActionURL(scheme: "a", segments: segments) }
        #expect(error.reason == reason)
    }

    @Test func aRepeatedItemOfTheProtocolIsRefused() throws {
        let error = try #require(throws: ActionURLError.self) {
            try ActionURL(scheme: "a", segments: [], items: ["x-success": "a:", "x-success": "b:"])
        }
        #expect(error.reason == .repeatedItem("x-success"))
    }

    @Test func callbacksAreGivenAsItems() throws {
        let url = try ActionURL(scheme: "a", segments: ["b"], items: ["x-success": "c:/d?e=f&g", "h": "i"])
        #expect(url.success == "c:/d?e=f&g")
        #expect(url.items.texts == ["h=i"])
    }
}
