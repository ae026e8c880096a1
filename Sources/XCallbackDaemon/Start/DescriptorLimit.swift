import CLinux
import Glibc

/// The maximum number of open descriptors.
enum DescriptorLimit {
    /// The number of descriptors that clients never get: those for the loop, for reading files, and for programs.
    static let spare = 32

    /// Raises the limit as far as the system allows.
    ///
    /// - Returns: The new limit.
    static func raise() -> Int {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 1024 }
        if limit.rlim_cur < limit.rlim_max {
            var raised = limit
            raised.rlim_cur = limit.rlim_max
            if setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &raised) == 0 { limit = raised }
        }
        return Int(clamping: limit.rlim_cur)
    }
}
