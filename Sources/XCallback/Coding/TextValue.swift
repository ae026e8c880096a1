import FoundationEssentials
import XCallbackURL
import XCallbackWire

/// A value that is a single text in a query.
protocol TextValue {
    /// Creates a value from its text; nil if the text is invalid.
    init?(queryText text: String, _ style: QueryStyle)

    /// Returns the text; nil for a value without one.
    func queryText(_ style: QueryStyle) -> String?

    /// Returns the required format, as a phrase that follows “must be”.
    static func expectation(_ style: QueryStyle) -> String
}

extension String: TextValue {
    init?(queryText text: String, _ style: QueryStyle) { self = text }
    func queryText(_ style: QueryStyle) -> String? { self }
    static func expectation(_ style: QueryStyle) -> String { ParameterType.string.expectation }
}

extension Bool: TextValue {
    init?(queryText text: String, _ style: QueryStyle) {
        guard let value = TextForms.boolean(in: text.utf8.span) else { return nil }
        self = value
    }

    func queryText(_ style: QueryStyle) -> String? { self ? "true" : "false" }
    static func expectation(_ style: QueryStyle) -> String { ParameterType.boolean.expectation }
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
    static func expectation(_ style: QueryStyle) -> String { ParameterType.number.expectation }
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
    static func expectation(_ style: QueryStyle) -> String { ParameterType.number.expectation }
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

    static func expectation(_ style: QueryStyle) -> String { ParameterType.url.expectation }
}

extension UUID: TextValue {
    init?(queryText text: String, _ style: QueryStyle) {
        guard TextForms.isUUID(text.utf8.span) else { return nil }
        self.init(uuidString: text)
    }

    func queryText(_ style: QueryStyle) -> String? { uuidString }
    static func expectation(_ style: QueryStyle) -> String { ParameterType.uuid.expectation }
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

    static func expectation(_ style: QueryStyle) -> String { "base64 or base64url" }
}

extension Date: TextValue {
    init?(queryText text: String, _ style: QueryStyle) {
        switch style.dates {
        case .iso8601:
            guard let instant = TextForms.instant(in: text.utf8.span) else { return nil }
            // Relative to 2001, as in `Date`, so that a fraction is rounded only once.
            let seconds = Double(instant.seconds - Self.secondsTo2001)
            self.init(timeIntervalSinceReferenceDate: seconds + Double(instant.nanoseconds) / 1e9)
        case .secondsSince1970, .millisecondsSince1970:
            guard let number = Double(queryText: text, style) else { return nil }
            self.init(timeIntervalSince1970: style.dates == .secondsSince1970 ? number : number / 1000)
        }
    }

    func queryText(_ style: QueryStyle) -> String? {
        let milliseconds = (timeIntervalSinceReferenceDate * 1000).rounded()
        guard let whole = Int64(exactly: milliseconds), abs(whole) < 1 << 53 else { return nil }
        let sinceEpoch = whole + Self.secondsTo2001 * 1000
        switch style.dates {
        case .secondsSince1970: return (Double(sinceEpoch) / 1000).queryText(style)
        case .millisecondsSince1970: return String(sinceEpoch)
        case .iso8601:
            let fraction = (sinceEpoch % 1000 + 1000) % 1000
            return TextForms.text(
                of: TextForms.Instant(
                    seconds: (sinceEpoch - fraction) / 1000, nanoseconds: Int32(fraction) * 1_000_000))
        }
    }

    static func expectation(_ style: QueryStyle) -> String {
        style.dates == .iso8601 ? ParameterType.date.expectation : ParameterType.number.expectation
    }

    /// The seconds from the start of 1970 to the start of 2001.
    private static var secondsTo2001: Int64 { 978_307_200 }
}
