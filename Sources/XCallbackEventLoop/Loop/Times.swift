import CLinux
import Glibc

/// The time of the monotonic clock, in nanoseconds.
package func monotonicTime() -> Int64 {
    var now = timespec()
    _ = xcb_time(CLOCK_MONOTONIC, &now)
    return Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec)
}

/// A duration in whole nanoseconds; one of more than a century counts as a century.
func nanoseconds(_ duration: Duration) -> Int64 {
    let century: Int64 = 3_155_760_000
    let (seconds, attoseconds) = duration.components
    return min(max(seconds, 0), century) * 1_000_000_000 + attoseconds / 1_000_000_000
}
