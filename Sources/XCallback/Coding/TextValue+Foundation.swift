import FoundationEssentials
import XCallbackBytes
import XCallbackURL

extension URL: TextValue {
    init?(queryText text: Span<UInt8>) {
        guard TextForms.isURL(text) else { return nil }
        self.init(string: String(utf8: text))
    }

    var queryText: String? {
        let text = absoluteString
        return TextForms.isURL(text.utf8.span) ? text : nil
    }

    static var expectation: String { ParameterType.url.expectation }
}

extension UUID: TextValue {
    init?(queryText text: Span<UInt8>) {
        guard TextForms.isUUID(text) else { return nil }
        self.init(uuidString: String(utf8: text))
    }

    var queryText: String? { uuidString }
    static var expectation: String { ParameterType.uuid.expectation }
}

extension Decimal: TextValue {
    init?(queryText text: Span<UInt8>) {
        guard TextForms.isNumber(text), let value = Decimal(string: String(utf8: text)), value.isFinite else {
            return nil
        }
        self = value
    }

    var queryText: String? { isFinite ? description : nil }
    static var expectation: String { ParameterType.number.expectation }
}

extension Data {
    init?(queryText text: Span<UInt8>) {
        if text.isEmpty {
            self.init()
        } else {
            guard let bytes = TextForms.data(in: text) else { return nil }
            self.init(bytes)
        }
    }

    func queryText(_ style: QueryStyle.Bytes) -> String {
        TextForms.base64(Array(self).span, isURLSafe: style == .base64URL)
    }
}

extension Date {
    init?(queryText text: Span<UInt8>, _ style: QueryStyle.Dates) {
        switch style {
        case .iso8601:
            guard let instant = TextForms.instant(in: text) else { return nil }
            // Relative to 2001, as in `Date`, so that a fraction is rounded only once.
            let seconds = Double(instant.seconds - Self.secondsTo2001)
            self.init(timeIntervalSinceReferenceDate: seconds + Double(instant.nanoseconds) / 1e9)
        case .secondsSince1970, .millisecondsSince1970:
            guard let number = Double(queryText: text) else { return nil }
            self.init(timeIntervalSince1970: style == .secondsSince1970 ? number : number / 1000)
        }
    }

    func queryText(_ style: QueryStyle.Dates) -> String? {
        switch style {
        case .iso8601: iso8601Text
        case .secondsSince1970: timeIntervalSince1970.queryText
        case .millisecondsSince1970: (timeIntervalSince1970 * 1000).queryText
        }
    }

    /// Returns a phrase for the required format.
    static func expectation(_ style: QueryStyle.Dates) -> String {
        style == .iso8601 ? ParameterType.date.expectation : ParameterType.number.expectation
    }

    private var iso8601Text: String? {
        let time = timeIntervalSinceReferenceDate
        let whole = time.rounded(.down)
        guard let seconds = Int64(exactly: whole), abs(seconds) < 1 << 48 else { return nil }
        let nanoseconds = Int32(((time - whole) * 1e9).rounded())
        let carry: Int64 = nanoseconds < 1_000_000_000 ? 0 : 1
        return TextForms.text(
            of: TextForms.Instant(
                seconds: seconds + Self.secondsTo2001 + carry, nanoseconds: carry == 0 ? nanoseconds : 0))
    }

    /// The seconds from the start of 1970 to the start of 2001.
    private static var secondsTo2001: Int64 { 978_307_200 }
}
