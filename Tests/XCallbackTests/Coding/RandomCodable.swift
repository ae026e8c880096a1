import FoundationEssentials
import XCallbackTesting

/// A value that can be made by chance.
protocol RandomCodable: Codable, Equatable, Sendable {
    static func random(_ generator: inout SeededGenerator) -> Self
}

extension RandomCodable where Self: FixedWidthInteger {
    static func random(_ generator: inout SeededGenerator) -> Self {
        [Self.min, .max, 0, Self.random(in: .min ... .max, using: &generator)][generator.below(4)]
    }
}

extension Int: RandomCodable {}
extension Int8: RandomCodable {}
extension UInt16: RandomCodable {}
extension UInt64: RandomCodable {}
extension Int128: RandomCodable {}

extension Bool: RandomCodable {
    static func random(_ generator: inout SeededGenerator) -> Bool { generator.below(2) == 0 }
}

extension Double: RandomCodable {
    static func random(_ generator: inout SeededGenerator) -> Double {
        let value = Double(bitPattern: generator.next())
        return value.isFinite ? value : -0.0
    }
}

extension Float: RandomCodable {
    static func random(_ generator: inout SeededGenerator) -> Float {
        let value = Float(bitPattern: UInt32(truncatingIfNeeded: generator.next()))
        return value.isFinite ? value : .greatestFiniteMagnitude
    }
}

extension String: RandomCodable {
    static let pieces = ["a", "B", ".", "\\", ",", "&", "=", "%", "%41", "+", " ", "é", "😀", "0", "1", "", "#", "/"]

    static func random(_ generator: inout SeededGenerator) -> String {
        (0..<generator.below(5)).map { _ in pieces[generator.below(pieces.count)] }.joined()
    }
}

extension Date: RandomCodable {
    static func random(_ generator: inout SeededGenerator) -> Date {
        // A date is written to the millisecond.
        let time = Int64.random(in: -60_000_000_000_000...250_000_000_000_000, using: &generator)
        let seconds = (Double(time) / 1000).rounded(.down)
        return Date(timeIntervalSinceReferenceDate: seconds + Double(time - Int64(seconds) * 1000) / 1000)
    }
}

extension Data: RandomCodable {
    static func random(_ generator: inout SeededGenerator) -> Data {
        Data((0..<generator.below(9)).map { _ in UInt8(truncatingIfNeeded: generator.next()) })
    }
}

extension UUID: RandomCodable {
    static func random(_ generator: inout SeededGenerator) -> UUID {
        withUnsafeBytes(of: (generator.next(), generator.next())) { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    }
}

extension Decimal: RandomCodable {
    static func random(_ generator: inout SeededGenerator) -> Decimal {
        let number = Decimal(Int64(truncatingIfNeeded: generator.next()))
        return generator.below(2) == 0 ? number : number / 1000
    }
}

extension Optional: RandomCodable where Wrapped: RandomCodable {
    static func random(_ generator: inout SeededGenerator) -> Wrapped? {
        generator.below(3) == 0 ? nil : .random(&generator)
    }
}

extension Array: RandomCodable where Element: RandomCodable {
    static func random(_ generator: inout SeededGenerator) -> [Element] {
        (0..<generator.below(4)).map { _ in .random(&generator) }
    }
}

extension Dictionary: RandomCodable where Key == String, Value: RandomCodable {
    static func random(_ generator: inout SeededGenerator) -> [String: Value] {
        let keys = (0..<generator.below(4)).map { _ in "k" + String.random(&generator) }
        return Dictionary(keys.map { ($0, .random(&generator)) }) { first, _ in first }
    }
}

struct Pair<First: RandomCodable, Second: RandomCodable>: RandomCodable {
    var first: First
    var second: Second?
    static func random(_ generator: inout SeededGenerator) -> Self {
        Self(first: .random(&generator), second: .random(&generator))
    }
}

enum Choice<First: RandomCodable, Second: RandomCodable>: RandomCodable {
    case none
    case first(First)
    case both(left: First, Second)

    static func random(_ generator: inout SeededGenerator) -> Self {
        switch generator.below(3) {
        case 0: .none
        case 1: .first(.random(&generator))
        default: .both(left: .random(&generator), .random(&generator))
        }
    }
}
