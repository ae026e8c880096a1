import FoundationEssentials
import XCallbackURL
import XCallbackWire

/// A value that is a single text in a query.
protocol TextValue {
    /// Creates a value from its text; nil if the text is invalid.
    init?(queryText text: String, _ style: QueryStyle)

    /// Returns the text; nil for a value without one.
    func queryText(_ style: QueryStyle) -> String?

    /// What its texts are, as a configuration declares it.
    static func rule(_ style: QueryStyle) -> ParameterRule
    /// The required format, as a phrase that follows “must be”.
    static func expectation(_ style: QueryStyle) -> String
}

extension TextValue {
    static func expectation(_ style: QueryStyle) -> String { rule(style).type.expectation }
}

extension String: TextValue {
    init?(queryText text: String, _ style: QueryStyle) { self = text }
    func queryText(_ style: QueryStyle) -> String? { self }
    static func rule(_ style: QueryStyle) -> ParameterRule { ParameterRule(type: .string) }
}

extension Bool: TextValue {
    init?(queryText text: String, _ style: QueryStyle) {
        guard let value = TextForms.boolean(in: text.utf8.span) else { return nil }
        self = value
    }

    func queryText(_ style: QueryStyle) -> String? { self ? "true" : "false" }
    static func rule(_ style: QueryStyle) -> ParameterRule { ParameterRule(type: .boolean) }
}

extension TextValue where Self: FixedWidthInteger {
    init?(queryText text: String, _ style: QueryStyle) {
        guard let value = TextForms.integer(in: text.utf8.span, as: Self.self) else { return nil }
        self = value
    }

    func queryText(_ style: QueryStyle) -> String? { String(self) }
    static func expectation(_ style: QueryStyle) -> String {
        "\(ParameterType.integer.expectation) from \(min) to \(max)"
    }

    static func rule(_ style: QueryStyle) -> ParameterRule {
        // An 'int' has 64 bits and a sign.
        var rule = ParameterRule(type: Int64(exactly: max) == nil ? .number : .integer)
        rule.minimum = Int64(exactly: min).flatMap { $0 == .min ? nil : .integer($0) }
        rule.maximum = Int64(exactly: max).flatMap { $0 == .max ? nil : .integer($0) }
        return rule
    }
}

extension Int: TextValue {}
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
    init?(queryText text: String, _ style: QueryStyle) {
        // A number that is too large for the type would become infinite.
        guard TextForms.isWrittenAsNumber(text.utf8.span), let value = Self(text), value.isFinite else { return nil }
        self = value
    }

    func queryText(_ style: QueryStyle) -> String? { isFinite ? description : nil }
    static func rule(_ style: QueryStyle) -> ParameterRule { ParameterRule(type: .number) }
}

extension Double: TextValue {}
extension Float: TextValue {}

extension Decimal: TextValue {
    init?(queryText text: String, _ style: QueryStyle) {
        guard TextForms.isWrittenAsNumber(text.utf8.span), let value = Decimal(string: text), value.isFinite else {
            return nil
        }
        self = value
    }

    func queryText(_ style: QueryStyle) -> String? { isFinite ? description : nil }
    static func rule(_ style: QueryStyle) -> ParameterRule { ParameterRule(type: .number) }
}

extension URL: TextValue {
    init?(queryText text: String, _ style: QueryStyle) {
        guard TextForms.isURL(text.utf8.span) else { return nil }
        self.init(string: text)
    }

    func queryText(_ style: QueryStyle) -> String? {
        let text = absoluteString
        return TextForms.isURL(text.utf8.span) ? text : nil
    }

    static func rule(_ style: QueryStyle) -> ParameterRule { ParameterRule(type: .url) }
}

extension UUID: TextValue {
    init?(queryText text: String, _ style: QueryStyle) {
        guard TextForms.isUUID(text.utf8.span) else { return nil }
        self.init(uuidString: text)
    }

    func queryText(_ style: QueryStyle) -> String? { uuidString }
    static func rule(_ style: QueryStyle) -> ParameterRule { ParameterRule(type: .uuid) }
}

extension Data: TextValue {
    init?(queryText text: String, _ style: QueryStyle) {
        if text.isEmpty {
            self.init()
        } else {
            guard let bytes = TextForms.data(in: text.utf8.span) else { return nil }
            self.init(bytes)
        }
    }

    func queryText(_ style: QueryStyle) -> String? {
        TextForms.base64(Array(self).span, isURLSafe: style.bytes == .base64URL)
    }

    static func rule(_ style: QueryStyle) -> ParameterRule { ParameterRule(type: .data) }
}

extension Date: TextValue {
    init?(queryText text: String, _ style: QueryStyle) {
        switch style.dates {
        case .iso8601:
            guard let instant = TextForms.instant(in: text.utf8.span) else { return nil }
            self.init(instant)
        case .secondsSince1970, .millisecondsSince1970:
            guard let number = Decimal(queryText: text, style) else { return nil }
            let seconds = (style.dates == .secondsSince1970 ? number : number / 1000) - Decimal(Self.secondsTo2001)
            guard let time = Double(seconds.description) else { return nil }
            self.init(timeIntervalSinceReferenceDate: time)
        }
    }

    private init(_ instant: TextForms.Instant) {
        // Relative to 2001, as in `Date`, so that a fraction is rounded only once.
        let seconds = Double(instant.seconds - Self.secondsTo2001)
        self.init(timeIntervalSinceReferenceDate: seconds + Double(instant.nanoseconds) / 1e9)
    }

    /// The time with as few digits as distinguish it, and at most nine; nil if it is too far away.
    private var instant: TextForms.Instant? {
        let whole = timeIntervalSinceReferenceDate.rounded(.down)
        guard let seconds = Int64(exactly: whole), seconds.magnitude < 1 << 43 else { return nil }
        var instant = TextForms.Instant(seconds: seconds + Self.secondsTo2001)
        var unit = 1_000_000_000.0
        while Date(instant) != self, unit > 1 {
            unit /= 10
            let nanoseconds = Int64(((timeIntervalSinceReferenceDate - whole) * 1e9 / unit).rounded() * unit)
            let carry = nanoseconds / 1_000_000_000
            instant = TextForms.Instant(
                seconds: seconds + Self.secondsTo2001 + carry, nanoseconds: Int32(nanoseconds % 1_000_000_000))
        }
        return instant
    }

    func queryText(_ style: QueryStyle) -> String? {
        guard let instant else { return nil }
        if style.dates == .iso8601 { return TextForms.text(of: instant) }
        let seconds = Decimal(instant.seconds) + Decimal(instant.nanoseconds) / 1_000_000_000
        return (style.dates == .secondsSince1970 ? seconds : seconds * 1000).description
    }

    static func rule(_ style: QueryStyle) -> ParameterRule {
        ParameterRule(type: style.dates == .iso8601 ? .date : .number)
    }

    /// The seconds from the start of 1970 to the start of 2001.
    private static var secondsTo2001: Int64 { 978_307_200 }
}

/// Returns the raw values of all cases, as texts; nil if they have none.
func rawTexts<Value: CaseIterable>(of type: Value.Type, _ style: QueryStyle) -> [String]? {
    func text(_ value: some RawRepresentable) -> String? { (value.rawValue as? any TextValue)?.queryText(style) }
    return type.allCases.reduce([]) { texts, value in
        guard let texts, let text = (value as? any RawRepresentable).flatMap({ text($0) }) else { return nil }
        return texts + [text]
    }
}
