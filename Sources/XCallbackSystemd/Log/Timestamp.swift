// Its header includes <sys/types.h>, so `timespec` may belong to this module as well as to Glibc.
import CSystemd
import Glibc

/// A moment in UTC, written as `2026-11-21T06:10:00.123Z`.
package struct Timestamp: Hashable, Sendable {
    private let seconds: Int
    private let milliseconds: Int

    /// Creates a moment from milliseconds since the start of 1970.
    ///
    /// - Parameter milliseconds: The number of milliseconds; negative for an earlier moment.
    package init(millisecondsSince1970 milliseconds: Int) {
        let (quotient, remainder) = milliseconds.quotientAndRemainder(dividingBy: 1_000)
        seconds = remainder < 0 ? quotient - 1 : quotient
        self.milliseconds = remainder < 0 ? remainder + 1_000 : remainder
    }

    /// Returns the current time.
    package static func now() -> Self {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        return Self(millisecondsSince1970: now.tv_sec * 1_000 + now.tv_nsec / 1_000_000)
    }
}

extension Timestamp: CustomStringConvertible {
    /// The moment with its milliseconds.
    package var description: String {
        var seconds = time_t(seconds)
        var parts = tm()
        // Fails only for a year beyond 32 bits, which no number of milliseconds reaches.
        gmtime_r(&seconds, &parts)
        let date = "\(parts.tm_year + 1_900)-\(padded(parts.tm_mon + 1))-\(padded(parts.tm_mday))"
        let time = "\(padded(parts.tm_hour)):\(padded(parts.tm_min)):\(padded(parts.tm_sec))"
        return "\(date)T\(time).\(milliseconds < 100 ? "0" : "")\(padded(Int32(milliseconds)))Z"
    }

    private func padded(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
