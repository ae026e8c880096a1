extension TextForms {
    /// A point in time, relative to 1970-01-01T00:00:00Z.
    package struct Instant: Hashable, Sendable {
        /// The whole seconds; negative before that time.
        package let seconds: Int64
        /// The fraction of a second, from 0 to 999,999,999.
        package let nanoseconds: Int32

        /// Creates a point in time.
        package init(seconds: Int64, nanoseconds: Int32 = 0) {
            self.seconds = seconds
            self.nanoseconds = nanoseconds
        }
    }

    /// Parses a calendar date or a date with a time, in the extended format of ISO 8601.
    ///
    /// A date has the form `2026-01-31`, with a year from 0000 to 9999, and must exist. A time follows an uppercase
    /// `T`, has seconds with an optional fraction of one to nine digits after a point, and ends in `Z` or an offset
    /// such as `+01:00`. Leap seconds (`:60`) and `24:00:00` are rejected, because many parsers reject them.
    ///
    /// - Parameter text: The text.
    /// - Returns: The point in time, for a date without a time its first moment in UTC; `nil` if the text is not a date.
    package static func instant(in text: Span<UInt8>) -> Instant? {
        guard let day = startOfDay(in: text) else { return nil }
        if text.count == 10 { return Instant(seconds: day) }
        guard text.count >= 20, text[10] == UInt8(ascii: "T"), text[13] == UInt8(ascii: ":"),
            text[16] == UInt8(ascii: ":"), let hour = twoDigits(in: text, at: 11), hour < 24,
            let minute = twoDigits(in: text, at: 14), minute < 60,
            let second = twoDigits(in: text, at: 17), second < 60
        else { return nil }
        var nanoseconds: Int32 = 0
        var zone = 19
        if text[zone] == UInt8(ascii: ".") {
            var unit: Int32 = 100_000_000
            zone += 1
            while zone < text.count, unit > 0, let digit = digit(text[zone]) {
                nanoseconds += Int32(digit) * unit
                unit /= 10
                zone += 1
            }
            guard zone > 20 else { return nil }
        }
        guard let offset = offset(in: text, from: zone) else { return nil }
        return Instant(seconds: day + Int64(hour * 3600 + minute * 60 + second) - offset, nanoseconds: nanoseconds)
    }

    /// Returns the first second of the day in the first ten bytes; nil if there is no such day.
    private static func startOfDay(in text: Span<UInt8>) -> Int64? {
        guard text.count >= 10, text[4] == UInt8(ascii: "-"), text[7] == UInt8(ascii: "-"),
            let century = twoDigits(in: text, at: 0), let yearOfCentury = twoDigits(in: text, at: 2),
            let month = twoDigits(in: text, at: 5), let day = twoDigits(in: text, at: 8)
        else { return nil }
        let year = century * 100 + yearOfCentury
        let days = daysSince1970(year: year, month: month, day: day)
        // A day that does not exist is counted as another one.
        return date(ofDay: Int(days)) == (year, month, day) ? days * 86_400 : nil
    }

    /// Formats a point in time in UTC: `2026-01-31T08:00:00Z`, with as many digits of a fraction as necessary.
    ///
    /// - Parameter instant: The point in time.
    /// - Returns: The text; `nil` outside the years 0000 to 9999.
    package static func text(of instant: Instant) -> String? {
        guard -62_167_219_200..<253_402_300_800 ~= instant.seconds else { return nil }
        let days = floorDivision(instant.seconds, 86_400)
        let time = Int(instant.seconds - days * 86_400)
        let date = date(ofDay: Int(days))
        var text = "\(padded(date.year, 4))-\(padded(date.month, 2))-\(padded(date.day, 2))T"
        text += "\(padded(time / 3600, 2)):\(padded(time / 60 % 60, 2)):\(padded(time % 60, 2))"
        if instant.nanoseconds > 0 {
            var fraction = padded(Int(instant.nanoseconds), 9)
            while fraction.utf8.last == UInt8(ascii: "0") { fraction.removeLast() }
            text += ".\(fraction)"
        }
        return text + "Z"
    }

    private static func twoDigits(in text: Span<UInt8>, at index: Int) -> Int? {
        guard let tens = digit(text[index]), let ones = digit(text[index + 1]) else { return nil }
        return Int(tens) * 10 + Int(ones)
    }

    /// Returns the seconds ahead of UTC for the rest of a text, an offset such as `+01:00` or `Z`; nil if it is neither.
    private static func offset(in text: Span<UInt8>, from start: Int) -> Int64? {
        if text.count - start == 1, text[start] == UInt8(ascii: "Z") { return 0 }
        guard text.count - start == 6, text[start] == UInt8(ascii: "+") || text[start] == UInt8(ascii: "-"),
            text[start + 3] == UInt8(ascii: ":"), let hour = twoDigits(in: text, at: start + 1), hour < 24,
            let minute = twoDigits(in: text, at: start + 4), minute < 60
        else { return nil }
        let seconds = Int64(hour * 3600 + minute * 60)
        return text[start] == UInt8(ascii: "-") ? -seconds : seconds
    }

    // The calendar is that of ISO 8601, Gregorian even before 1582. In both functions a year starts in March, so that
    // the leap day is its last day.

    private static func daysSince1970(year: Int, month: Int, day: Int) -> Int64 {
        let year = month <= 2 ? year - 1 : year
        let era = Int(floorDivision(Int64(year), 400))
        let yearOfEra = year - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return Int64(era * 146_097 + dayOfEra - 719_468)
    }

    private static func date(ofDay days: Int) -> (year: Int, month: Int, day: Int) {
        let shifted = days + 719_468
        let era = Int(floorDivision(Int64(shifted), 146_097))
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * monthFromMarch + 2) / 5 + 1)
    }

    private static func floorDivision(_ value: Int64, _ divisor: Int64) -> Int64 {
        value >= 0 ? value / divisor : (value - divisor + 1) / divisor
    }

    private static func padded(_ value: Int, _ count: Int) -> String {
        let digits = String(value)
        return String(repeating: "0", count: max(count - digits.utf8.count, 0)) + digits
    }
}
