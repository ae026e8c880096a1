import FoundationEssentials
import TestSupport
import Testing
import XCallback
import XCallbackTesting

struct RandomCodableTests {
    private typealias Numbers = Pair<Pair<Int, Int8>, Pair<UInt16, Pair<UInt64, Int128>>>
    private typealias Fractions = Pair<Double, Pair<Float, Decimal>>
    private typealias Texts = Pair<Pair<Data, UUID>, Pair<[String], [String: String]>>
    /// Values of all kinds, in each other.
    ///
    /// None is an optional list or value that can be empty: where nil and an empty one have no text, it is an error.
    private static let types: [any RandomCodable.Type] = [
        Int.self, Int8.self, UInt16.self, UInt64.self, Int128.self, Bool.self, Double.self, Float.self, String.self,
        Date.self, Data.self, UUID.self, Decimal.self, Numbers.self, Fractions.self, Texts.self,
        [[String]].self, [[[Int8]]].self, [Int?].self, [Bool?].self, [String: [Date]].self,
        [String: [String: Bool]].self,
        [[String: Data]].self, [String: UUID?].self, [Numbers].self, [Choice<Int, String>].self,
        Choice<[String], [String: Decimal]>.self, Choice<Choice<Bool, Date>, [Choice<String, UInt64>]>.self,
        Pair<[Fractions], Choice<String, Texts>>.self, [String: Choice<[Int], Pair<String, Bool>>].self,
        Pair<Choice<Data, UUID>, [[Pair<String, [String]>]]>.self,
    ]

    @Test(arguments: 0..<200)
    func whatIsWrittenIsReadBackEqual(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let type = Self.types[generator.below(Self.types.count)]
        for _ in 0..<10 { try check(type, &generator) }
    }

    @Test(arguments: 0..<100)
    func anyItemsAreReadOrRefused(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let type = Self.types[generator.below(Self.types.count)]
        let names = ["value", "first", "second", "both.left", "value.0", "0", ".", "\\", "a\\.b", "none", "first.1.k"]
        for _ in 0..<20 {
            var items = QueryItems()
            for _ in 0..<generator.below(8) {
                let name = (0...generator.below(3)).map { _ in names[generator.below(names.count)] }
                items.append(name.joined(separator: "."), Bool.random(&generator) ? .random(&generator) : "1,2")
            }
            do {
                _ = try QueryDecoder().decode(type, from: items)
            } catch is DecodingError {
                // That is the other thing that may happen.
            }
        }
    }

    private func check<Value: RandomCodable>(_ type: Value.Type, _ generator: inout SeededGenerator) throws {
        let value = Value.random(&generator)
        for style in [QueryStyle.standard, QueryStyle(keys: .kebabCase, bytes: .base64)] {
            let items = try QueryEncoder(style: style).encode(value)
            expect(try QueryDecoder(style: style).decode(type, from: items), equals: value, "\(items.text)")
            expect(
                try QueryDecoder(style: style).decode(type, from: items.asReceived()), equals: value, "\(items.text)")
        }
    }
}
