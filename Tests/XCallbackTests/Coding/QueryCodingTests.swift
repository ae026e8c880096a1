import FoundationEssentials
import TestSupport
import Testing
import XCallback
import XCallbackTesting

/// The table of encodings: each row is written as it says, and read back.
struct QueryCodingTests {
    /// A value with what is written of it.
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let check: @Sendable () throws -> Void

        init<Value: Codable & Equatable & Sendable>(
            _ value: Value, _ items: String, style: QueryStyle = .standard, line: Int = #line
        ) {
            testDescription = "\(line): \(items)"
            check = {
                let written = try QueryEncoder(style: style).encode(value)
                #expect(written.text == items)
                expect(try QueryDecoder(style: style).decode(Value.self, from: written), equals: value)
                expect(try QueryDecoder(style: style).decode(Value.self, from: written.asReceived()), equals: value)
            }
        }
    }

    struct Note: Codable, Hashable {
        var title: String
        var body: String?
        var isDone = false
    }

    struct Nested: Codable, Hashable {
        var note: Note?
        var tags: [String]?
        var counts: [String: Int]?
    }

    struct Kinds: Codable, Hashable {
        var integer: Int8
        var number: Double
        var date: Date
        var data: Data
        var url: URL?
        var id: UUID
        var price: Decimal
    }

    enum Level: String, Codable { case low, high }

    enum Shape: Codable, Equatable {
        case none
        case circle(radius: Int)
        case pair(Int, Int)
    }

    struct Renamed: Codable, Equatable {
        var title: String
        enum CodingKeys: String, CodingKey { case title = "the title" }
    }

    static let rows: [Row] = [
        Row(Note(title: "Hi", body: nil), "title=Hi&isDone=false"),
        Row(Note(title: "", body: "", isDone: true), "title=&body=&isDone=true"),
        Row(Renamed(title: "a"), "the title=a"),
        Row(Nested(), ""),
        Row(Nested(note: Note(title: "Hi")), "note.title=Hi&note.isDone=false"),
        Row(Nested(tags: ["a", "b"]), "tags=a&tags=b"),
        Row(Nested(tags: []), "tags"),
        Row(Nested(tags: [""]), "tags="),
        Row(Nested(tags: ["a,b", "c"]), "tags=a,b&tags=c"),
        Row(Nested(counts: ["a.b\\": 1]), #"counts.a\.b\\=1"#),
        Row(Nested(counts: [:]), "counts"),
        Row(["title": "Hi"], "title=Hi"),
        Row([1: "one"], "1=one"),
        Row(
            [Note(title: "a"), Note(title: "b")],
            "value.0.title=a&value.0.isDone=false&value.1.title=b&value.1.isDone=false"),
        Row([[1, 2], [], [3]], "value.0=1&value.0=2&value.1&value.2=3"),
        Row([1, nil, 3], "value.0=1&value.1&value.2=3"),
        Row(
            [nil] + (1...10).map { $0 },
            "value.0&" + (1...10).map { "value.\($0)=\($0)" }.joined(separator: "&")),
        Row(Set([7]), "value=7"),
        Row([Level.low, .high], "value=low&value=high"),
        Row(Level.low, "value=low"),
        Row(Shape.none, "none"),
        Row(Shape.circle(radius: 2), "circle.radius=2"),
        Row(Shape.pair(1, 2), "pair._0=1&pair._1=2"),
        Row([Shape.none, .circle(radius: 1)], "value.0.none&value.1.circle.radius=1"),
        Row("text", "value=text"),
        Row(42, "value=42"),
        Row(true, "value=true"),
        Row(UInt64.max, "value=18446744073709551615"),
        Row(Int128.min, "value=-170141183460469231731687303715884105728"),
        Row(Float(0.1), "value=0.1"),
        Row(1e300, "value=1e+300"),
        Row(Optional<Int>.none, "value"),
        Row(Optional<Note>.none, "value"),
        Row(Data(), "value="),
        Row(Data([0xFB, 0xFF]), "value=-_8"),
        Row(Data([0xFB, 0xFF]), "value=+/8=", style: QueryStyle(bytes: .base64)),
        Row(Date(timeIntervalSince1970: 0), "value=1970-01-01T00:00:00Z"),
        Row(Date(timeIntervalSince1970: -1.25), "value=1969-12-31T23:59:58.75Z"),
        Row(Date(timeIntervalSince1970: 1.5), "value=1.5", style: QueryStyle(dates: .secondsSince1970)),
        Row(Date(timeIntervalSince1970: -1.25), "value=-1.25", style: QueryStyle(dates: .secondsSince1970)),
        Row(Date(timeIntervalSinceReferenceDate: 1e-9), "value=2001-01-01T00:00:00.000000001Z"),
        Row(Date(timeIntervalSince1970: 1.5), "value=1500", style: QueryStyle(dates: .millisecondsSince1970)),
        Row(Note(title: "a"), "title=a&is-done=false", style: QueryStyle(keys: .kebabCase)),
        Row(Note(title: "a"), "title=a&is_done=false", style: QueryStyle(keys: .snakeCase)),
        Row(["myKey": 1], "myKey=1", style: QueryStyle(keys: .kebabCase)),
    ]

    @Test(arguments: rows)
    func aValueIsWrittenAsTheTableSaysAndReadBack(row: Row) throws {
        try row.check()
    }

    @Test func typesOfFoundationAreOneTextEach() throws {
        let id = try #require(UUID(uuidString: "F81D4FAE-7DEC-11D0-A765-00A0C91E6BF6"))
        let value = Kinds(
            integer: -8, number: 0.5, date: Date(timeIntervalSince1970: 1_769_846_400), data: Data([1]),
            url: URL(string: "https://example.org/a?b=c"), id: id, price: try #require(Decimal(string: "19.99")))
        let items = try QueryEncoder().encode(value)
        #expect(
            items.text == """
                integer=-8&number=0.5&date=2026-01-31T08:00:00Z&data=AQ&url=https://example.org/a?b=c&\
                id=F81D4FAE-7DEC-11D0-A765-00A0C91E6BF6&price=19.99
                """)
        expect(try QueryDecoder().decode(Kinds.self, from: items.asReceived()), equals: value)
    }

    @Test func aDateIsEqualWhenItIsReadBack() throws {
        let date = Date(timeIntervalSinceReferenceDate: 791_539_200.123_456_7)
        for (style, text) in [
            (QueryStyle.standard, "2026-01-31T08:00:00.1234567Z"),
            (QueryStyle(dates: .secondsSince1970), "1769846400.1234567"),
            (QueryStyle(dates: .millisecondsSince1970), "1769846400123.4567"),
        ] {
            expect(try QueryEncoder(style: style).encode(date).text, equals: "value=\(text)")
            var random = SeededGenerator(seed: 1)
            var times: [Double] = [Date().timeIntervalSinceReferenceDate, 0.1, -0.1, 1e-9, 86_399.999_999_999]
            for _ in 0..<1000 { times.append(Double.random(in: -3e9...3e9, using: &random)) }
            for time in times {
                let date = Date(timeIntervalSinceReferenceDate: time)
                let items = try QueryEncoder(style: style).encode(date)
                let copy = try QueryDecoder(style: style).decode(Date.self, from: items)
                // Near 2001, a date is finer than a nanosecond.
                let isEqual = abs(time) < 8_388_608 ? abs(copy.timeIntervalSince(date)) <= 1e-9 : copy == date
                #expect(isEqual, "\(time)")
            }
        }
    }

    @Test(arguments: [-0x1p63, 0x1p63, -1e30])
    func aDateThatIsTooFarAwayIsAnError(time: Double) {
        let date = Date(timeIntervalSinceReferenceDate: time)
        for style in [QueryStyle.standard, QueryStyle(dates: .secondsSince1970)] {
            #expect(throws: EncodingError.self) { try QueryEncoder(style: style).encode(date) }
        }
    }

    @Test func aSubclassAndItsSuperclassAreBothReadBack() throws {
        let items = try QueryEncoder().encode(Puppy(name: "Rex", age: 1))
        #expect(items.text == "age=1&super.name=Rex")
        let puppy = try QueryDecoder().decode(Puppy.self, from: items)
        #expect(puppy.name == "Rex" && puppy.age == 1)
    }

    @Test(arguments: [
        ("flag", true), ("flag=yes", true), ("flag=1", true), ("flag=no", false), ("flag=0", false), ("", nil),
    ])
    func aBooleanHasManySpellings(query: String, expected: Bool?) throws {
        struct Flags: Decodable { let flag: Bool? }
        expect(try QueryDecoder().decode(Flags.self, from: received(query)).flag, equals: expected)
    }

    @Test(arguments: ["a,b", "a&tags=b", "a%2Cb"])
    func aListMayHaveCommas(query: String) throws {
        let tags = try QueryDecoder().decode(Nested.self, from: received("tags=\(query)")).tags
        #expect(tags == (query == "a%2Cb" ? ["a,b"] : ["a", "b"]))
    }

    @Test func aListMayHaveNumbers() throws {
        expect(
            try QueryDecoder().decode(Nested.self, from: received("tags.10=c&tags.9=b&tags=a")).tags,
            equals: ["a", "b", "c"])
    }

    @Test func aNameAloneIsNilForATextAndEmptyForAList() throws {
        struct Values: Decodable, Equatable {
            let text: String?
            let level: Level?
            let list: [Int]?
        }
        let values = try QueryDecoder().decode(Values.self, from: received("text&level&list"))
        #expect(values == Values(text: nil, level: nil, list: []))
    }

    @Test func aKeyWithAFullStopReadsWhatOthersWrite() throws {
        struct Dotted: Decodable {
            let code: Int
            enum CodingKeys: String, CodingKey { case code = "error.code" }
        }
        expect(try QueryDecoder().decode(Dotted.self, from: received("error.code=7")).code, equals: 7)
    }
}

class Dog: Codable {
    let name: String
    init(name: String) { self.name = name }
}

final class Puppy: Dog {
    let age: Int
    enum CodingKeys: CodingKey { case age }

    init(name: String, age: Int) {
        self.age = age
        super.init(name: name)
    }

    required init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        age = try container.decode(Int.self, forKey: .age)
        try super.init(from: container.superDecoder())
    }

    override func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(age, forKey: .age)
        try super.encode(to: container.superEncoder())
    }
}
