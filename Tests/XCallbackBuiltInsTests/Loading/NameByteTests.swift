import TestSupport
import Testing
import XCallbackBuiltIns
import XCallbackRouter

/// Names and values that look alike and are other bytes, such as `é`, and `e` with an accent behind it, are two: while a
/// configuration is loaded as well as in a request.
struct NameByteTests {
    private static let whole = "caf\u{E9}"
    private static let parts = "cafe\u{301}"

    private static func url(_ path: String, _ text: String) -> String {
        var bytes = "notes:\(path)"
        for byte in text.utf8 { bytes += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16) }
        return bytes
    }

    @Test func twoEnumerationsAreTwoTypes() throws {
        var router = try Configured(
            routes: """
                  - { route: "notes:/b/:x", input: { x: { type: enum, values: ["\(Self.whole)"] } }, respond: { b: 1 } }
                  - { route: "notes:/b/:x", input: { x: { type: enum, values: ["\(Self.parts)"] } }, respond: { b: 2 } }

                """)
        expect(try router.result(of: Self.url("/b/", Self.whole)), equals: "b=1")
        expect(try router.result(of: Self.url("/b/", Self.parts)), equals: "b=2")
        #expect(Set(router.configuration.pipeline.routes.map { Array($0.identity.utf8) }).count == 2)
    }

    @Test func aDeclarationIsOfTheCaptureWithItsBytes() throws {
        let routes = """
              - { route: 'notes:/o/:"\(Self.whole)"', input: { "\(Self.parts)": int }, respond: { o: "{\(Self.whole)}" } }

            """
        var router = try Configured(routes: routes)
        expect(try router.result(of: "notes:/o/x")) { $0.hasPrefix("422 Parameter '\(Self.parts)' is missing") }
        expect(try router.result(of: Self.url("/o/5?", Self.parts) + "=7"), equals: "o=5")
    }

    @Test(arguments: [0, 9])
    func twoKeysMayLookAlike(others: Int) throws {
        let more = (0..<others).map { "k\($0): v, " }.joined()
        var router = try Configured(
            routes: "  - { route: notes:/a, respond: { \(more)\"\(Self.whole)\": 1, \"\(Self.parts)\": 2 } }\n")
        let items = try router.result(of: "notes:/a").split(separator: "|").suffix(2)
        #expect(items.map { Array($0.utf8) } == ["\(Self.whole)=1", "\(Self.parts)=2"].map { Array($0.utf8) })
    }
}
