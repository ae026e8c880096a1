import CLinux
import Glibc

/// Returns the time of the monotonic clock, in nanoseconds.
package func monotonicTime() -> Int64 {
    var now = timespec()
    _ = xcb_time(CLOCK_MONOTONIC, &now)
    return Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec)
}

/// Returns the time since 1970, which can be set back.
package func wallTime() -> Duration {
    var now = timespec()
    _ = xcb_time(CLOCK_REALTIME, &now)
    return .seconds(now.tv_sec) + .nanoseconds(now.tv_nsec)
}

/// The boot-time clock, which process start times use, in nanoseconds.
package func bootTime() -> Int64 {
    var now = timespec()
    _ = xcb_time(CLOCK_BOOTTIME, &now)
    return Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec)
}

extension Duration {
    /// Returns the time, which is one since 1970, in a format of strftime(3) and with its milliseconds: in UTC, or local.
    package func dateText(as format: String, isLocal: Bool = false) -> String {
        var (seconds, parts) = (time_t(components.seconds), tm())
        var text = [CChar](repeating: 0, count: 64)
        // They fail only for a year beyond 32 bits, which no clock reaches.
        if isLocal { localtime_r(&seconds, &parts) } else { gmtime_r(&seconds, &parts) }
        let count = strftime(&text, text.count, format, &parts)
        let milliseconds = "\(1_000 + components.attoseconds / 1_000_000_000_000_000)".dropFirst()
        return String(decoding: text[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self) + ".\(milliseconds)"
    }
}
