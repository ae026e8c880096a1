import CLinux
import Glibc

/// Returns the time of the monotonic clock, in nanoseconds.
package func monotonicTime() -> Int64 {
    var now = timespec()
    _ = xcb_time(CLOCK_MONOTONIC, &now)
    return Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec)
}

/// Returns a duration in whole nanoseconds, at most a century.
func nanoseconds(_ duration: Duration) -> Int64 {
    let century: Int64 = 3_155_760_000
    let (seconds, attoseconds) = duration.components
    return min(max(seconds, 0), century) * 1_000_000_000 + attoseconds / 1_000_000_000
}
