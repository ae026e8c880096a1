import TestSupport
import Testing
import XCallback
import XCallbackAdministration
import XCallbackWire

/// The URLs of routes that are named.
struct RouteURLTests {
    static let rows: [(pattern: String, parameters: QueryItems, url: String)] = [
        ("/", [:], "n:/"), ("/", ["a": "b"], "n:/?a=b"), ("/a", ["b": nil, "c": "&"], "n:/a?b&c=%26"),
        ("/:a/b", ["a": "c/d"], "n:/c%2Fd/b"), ("/*a", ["a": "b", "c": "d"], "n:/b?c=d"),
    ]

    @Test(arguments: rows)
    func capturesAndTheQueryAreFilled(pattern: String, parameters: QueryItems, url: String) throws {
        let route: JSONValue = ["scheme": "n", "pattern": .string(pattern)]
        expect(try Client.CatalogueRoute(reading: route).url(with: parameters), equals: url)
    }

    @Test func aCaptureWithoutAValueIsNamed() {
        let route: JSONValue = ["route": "n:/:a", "scheme": "n", "pattern": "/:a"]
        let error = #expect(throws: RouteFillingError.self) {
            try Client.CatalogueRoute(reading: route).url(with: ["b": "c"])
        }
        #expect(error?.description == "n:/:a: parameter 'a' is missing: the path needs it")
    }
}
