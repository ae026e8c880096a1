import FoundationEssentials
import TestSupport
import Testing
import XCallback

struct QueryCodingErrorTests {
    struct Order: Codable {
        var lines: [Line]
        var date: Date?
    }

    struct Line: Codable {
        var count: Int8
        var name: String?
    }

    static let unreadable: [(query: String, path: String, message: String)] = [
        ("", "lines", "Parameter 'lines' is missing."),
        ("lines.0.name=a", "lines.0.count", "Parameter 'lines.0.count' is missing."),
        ("lines.0.count=a", "lines.0.count", "Parameter 'lines.0.count' must be a whole number from -128 to 127."),
        ("lines.0.count=128", "lines.0.count", "Parameter 'lines.0.count' must be a whole number from -128 to 127."),
        ("lines.0.count=1&lines.0.count=2", "lines.0.count", "Parameter 'lines.0.count' is given more than once."),
        ("lines&date=soon", "date", "Parameter 'date' must be a date such as 2026-01-31 or 2026-01-31T08:00:00Z."),
        (
            "lines&date=2026-02-30", "date",
            "Parameter 'date' must be a date such as 2026-01-31 or 2026-01-31T08:00:00Z."
        ),
        ("lines=1", "lines.0.count", "Parameter 'lines.0.count' is missing."),
    ]

    @Test(arguments: unreadable)
    func whatCannotBeReadIsNamed(query: String, path: String, message: String) throws {
        let error = try #require(throws: DecodingError.self) {
            try QueryDecoder().decode(Order.self, from: received(query))
        }
        let context = try #require(error.context)
        #expect(context.codingPath.map(\.stringValue).joined(separator: ".") == path)
        #expect(context.underlyingError as? CallbackError == CallbackError(.badParameter, message))
    }

    struct Value<Content: Codable & Sendable>: Codable, Sendable {
        var content: Content
    }

    struct Twice: Encodable {
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: ElementName.self)
            try container.encode(1, forKey: ElementName(stringValue: "a"))
            try container.encode(2, forKey: ElementName(stringValue: "a"))
        }
    }

    struct ElementName: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    static let unwritable: [(any Encodable & Sendable, String)] = [
        (Value(content: Double.nan), "content"),
        (Value(content: [1, Double.infinity]), "content.1"),
        (Value(content: Date.distantFuture.addingTimeInterval(1e12)), "content"),
        (Value(content: URL(string: "relative")), "content"),
        (Value(content: ["a": [Int]?.some([])]), "content.a"),
        (["x-success": "a"], "x-success"),
        (["X-Any": "a"], "X-Any"),
        (["": [Int]()], ""),
    ]

    @Test(arguments: unwritable)
    func whatCannotBeWrittenIsNamed(value: any Encodable & Sendable, path: String) throws {
        let error = try #require(throws: EncodingError.self) { try QueryEncoder().encode(value) }
        guard case .invalidValue(_, let context) = error else { throw error }
        #expect(context.codingPath.map(\.stringValue).joined(separator: ".") == path)
    }

    @Test func keysThatBecomeTheSameNameAreAnError() {
        struct Colliding: Encodable {
            let fooBar = 1
            let other = 2
            enum CodingKeys: String, CodingKey {
                case fooBar
                case other = "foo-bar"
            }
        }
        #expect(throws: EncodingError.self) {
            try QueryEncoder(style: QueryStyle(keys: .kebabCase)).encode(Colliding())
        }
        #expect(throws: EncodingError.self) { try QueryEncoder().encode(Twice()) }
    }

    final class Chain: Codable {
        var next: Chain?
        init(_ next: Chain?) { self.next = next }
    }

    @Test func whatIsTooDeepIsAnErrorAndNoOverflow() throws {
        var chain = Chain(nil)
        for _ in 0..<QueryStyle.depthLimit { chain = Chain(chain) }
        let items = try QueryEncoder().encode(chain)
        #expect(items.count == 1)
        _ = try QueryDecoder().decode(Chain.self, from: items)
        #expect(throws: EncodingError.self) { try QueryEncoder().encode(Chain(chain)) }
        for _ in 0..<1000 { chain = Chain(chain) }
        #expect(throws: EncodingError.self) { try QueryEncoder().encode(chain) }
        let deep = Array(repeating: "next", count: 20_000).joined(separator: ".")
        _ = try? QueryDecoder().decode(Chain.self, from: [deep: "1"])
    }

    struct Endless: Decodable {
        let inner: Box
        final class Box: Decodable {
            let endless: Endless
            init(from decoder: any Decoder) throws { endless = try decoder.singleValueContainer().decode(Endless.self) }
        }
    }

    @Test func aTypeWithoutEndIsAnErrorAndNoOverflow() {
        #expect(throws: DecodingError.self) { try QueryDecoder().decode(Endless.self, from: [:]) }
    }

    @Test func manyItemsTakeNoLongerThanTheyShould() throws {
        let words = Dictionary(uniqueKeysWithValues: (0..<20_000).map { ("key\($0)", $0) })
        let items = try QueryEncoder().encode(words)
        expect(try QueryDecoder().decode([String: Int].self, from: items), equals: words)
    }
}

extension DecodingError {
    var context: Context? {
        switch self {
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .keyNotFound(_, let context),
            .dataCorrupted(let context):
            context
        @unknown default: nil
        }
    }
}
