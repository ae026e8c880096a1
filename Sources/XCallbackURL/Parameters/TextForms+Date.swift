extension TextForms {
    /// Whether a text is a calendar date or a date with a time, in the extended format of ISO 8601.
    ///
    /// A date has the form `2026-01-31`, with a year from 0000 to 9999, and must exist. A time follows an uppercase
    /// `T`, has seconds with an optional fraction of one to nine digits after a point, and ends in `Z` or an offset
    /// such as `+01:00`. Leap seconds (`:60`) and `24:00:00` are rejected, because many parsers reject them.
    ///
    /// - Parameter text: The text.
    /// - Returns: Whether the complete text is a date.
    package static func isDate(_ text: Span<UInt8>) -> Bool {
        guard text.count >= 10, isCalendarDay(text) else { return false }
        if text.count == 10 { return true }
        guard text.count >= 20, text[10] == UInt8(ascii: "T"), isTimeOfDay(text) else { return false }
        var zone = 19
        if text[zone] == UInt8(ascii: ".") {
            zone += 1
            while zone < text.count, digit(text[zone]) != nil { zone += 1 }
            guard 21...29 ~= zone else { return false }
        }
        return offset(in: text, from: zone) != nil
    }

    /// Whether the first ten bytes are a day of the Gregorian calendar.
    private static func isCalendarDay(_ text: Span<UInt8>) -> Bool {
        guard text[4] == UInt8(ascii: "-"), text[7] == UInt8(ascii: "-"),
            let century = twoDigits(in: text, at: 0), let yearOfCentury = twoDigits(in: text, at: 2),
            let month = twoDigits(in: text, at: 5), let day = twoDigits(in: text, at: 8)
        else { return false }
        // The last year of a century is a leap year only if the century is divisible by four.
        let isLeapYear = (yearOfCentury == 0 ? century : yearOfCentury) % 4 == 0
        switch month {
        case 1, 3, 5, 7, 8, 10, 12: return 1...31 ~= day
        case 4, 6, 9, 11: return 1...30 ~= day
        case 2: return 1...(isLeapYear ? 29 : 28) ~= day
        default: return false
        }
    }

    private static func isTimeOfDay(_ text: Span<UInt8>) -> Bool {
        guard text[13] == UInt8(ascii: ":"), text[16] == UInt8(ascii: ":"),
            let hour = twoDigits(in: text, at: 11), let minute = twoDigits(in: text, at: 14),
            let second = twoDigits(in: text, at: 17)
        else { return false }
        return hour < 24 && minute < 60 && second < 60
    }

    static func twoDigits(in text: Span<UInt8>, at index: Int) -> Int? {
        guard let tens = digit(text[index]), let ones = digit(text[index + 1]) else { return nil }
        return Int(tens) * 10 + Int(ones)
    }
}
