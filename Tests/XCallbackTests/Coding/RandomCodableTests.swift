import FoundationEssentials
import Testing
import XCallback
import XCallbackTesting

struct RandomCodableTests {
    @Test(arguments: 0..<200)
    func whatIsWrittenIsReadBackEqual(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let type = randomType(&generator, depth: 3)
        for _ in 0..<10 { try check(type, &generator) }
    }

    @Test(arguments: 0..<100)
    func anyItemsAreReadOrRefused(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let type = randomType(&generator, depth: 3)
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
            #expect(try QueryDecoder(style: style).decode(type, from: items) == value, "\(items.text)")
            #expect(try QueryDecoder(style: style).decode(type, from: items.asReceived()) == value, "\(items.text)")
        }
    }
}

private func randomType(_ generator: inout SeededGenerator, depth: Int) -> any RandomCodable.Type {
    let simple: [any RandomCodable.Type] = [
        Int.self, Int8.self, UInt16.self, UInt64.self, Int128.self, Bool.self, Double.self, Float.self, String.self,
        Date.self, Data.self, UUID.self, Decimal.self,
    ]
    guard depth > 0, generator.below(5) > 0 else { return simple[generator.below(simple.count)] }
    let first = randomType(&generator, depth: depth - 1)
    let second = randomType(&generator, depth: depth - 1)
    switch generator.below(6) {
    case 0: return list(of: first)
    case 1: return dictionary(of: first)
    case 2, 3: return pair(of: first, second)
    case 4: return choice(of: first, second)
    // Where both nil and an empty value have no text, the two cannot be told from one another, and it is an error.
    default: return first.mayBeEmpty || first is any Absent.Type ? first : optional(of: first)
    }
}

private protocol Absent {}
extension Optional: Absent {}

private func list<Value: RandomCodable>(of type: Value.Type) -> any RandomCodable.Type { [Value].self }
private func dictionary<Value: RandomCodable>(of type: Value.Type) -> any RandomCodable.Type { [String: Value].self }
private func optional<Value: RandomCodable>(of type: Value.Type) -> any RandomCodable.Type { Value?.self }

private func pair<First: RandomCodable, Second: RandomCodable>(
    of first: First.Type, _ second: Second.Type
) -> any RandomCodable.Type {
    Pair<First, Second>.self
}

private func choice<First: RandomCodable, Second: RandomCodable>(
    of first: First.Type, _ second: Second.Type
) -> any RandomCodable.Type {
    Choice<First, Second>.self
}
