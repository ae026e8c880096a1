import XCallbackBytes
import XCallbackURL

/// A value that is a single text in a query.
protocol TextValue {
    /// Creates a value from its text; nil if the text is invalid.
    init?(queryText text: Span<UInt8>)

    /// The text; nil for a value without one.
    var queryText: String? { get }

    /// The required format, as a phrase that follows “must be”.
    static var expectation: String { get }
}

extension String: TextValue {
    init?(queryText text: Span<UInt8>) {
        self.init(utf8: text)
    }

    var queryText: String? { self }
    static var expectation: String { ParameterType.string.expectation }
}

extension Bool: TextValue {
    init?(queryText text: Span<UInt8>) {
        guard let value = TextForms.boolean(in: text) else { return nil }
        self = value
    }

    var queryText: String? { self ? "true" : "false" }
    static var expectation: String { ParameterType.boolean.expectation }
}

extension TextValue where Self: FixedWidthInteger {
    init?(queryText text: Span<UInt8>) {
        guard let value = TextForms.integer(in: text, as: Self.self) else { return nil }
        self = value
    }

    var queryText: String? { String(self) }
    static var expectation: String { "\(ParameterType.integer.expectation) from \(min) to \(max)" }
}

extension Int: TextValue {
    // The most frequent type, which therefore does not use the generic code.
    init?(queryText text: Span<UInt8>) {
        guard let value = TextForms.integer(in: text) else { return nil }
        self.init(value)
    }
}

extension Int8: TextValue {}
extension Int16: TextValue {}
extension Int32: TextValue {}
extension Int64: TextValue {}
extension Int128: TextValue {}
extension UInt: TextValue {}
extension UInt8: TextValue {}
extension UInt16: TextValue {}
extension UInt32: TextValue {}
extension UInt64: TextValue {}
extension UInt128: TextValue {}

extension TextValue where Self: BinaryFloatingPoint & LosslessStringConvertible {
    init?(queryText text: Span<UInt8>) {
        // A number that is too large for the type would become infinite.
        guard TextForms.isNumber(text), let value = Self(String(utf8: text)), value.isFinite else { return nil }
        self = value
    }

    var queryText: String? { isFinite ? description : nil }
    static var expectation: String { ParameterType.number.expectation }
}

extension Double: TextValue {}
extension Float: TextValue {}
