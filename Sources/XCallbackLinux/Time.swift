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
