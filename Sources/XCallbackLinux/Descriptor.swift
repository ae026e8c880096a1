import CLinux
import Glibc

/// A file descriptor that is closed with its owner.
package struct Descriptor: ~Copyable, Sendable {
    /// The number.
    package let number: Int32

    /// Takes ownership of a descriptor.
    package init(_ number: Int32) {
        self.number = number
    }

    /// Gives up ownership, so that another owner can close it.
    package consuming func release() -> Int32 {
        let number = number
        discard self
        return number
    }

    deinit {
        // EINTR must not be retried: Linux has closed the descriptor anyway.
        _ = xcb_close(number)
    }
}

extension Descriptor {
    /// Opens the root directory of a process, to look up files in it.
    ///
    /// Nil if there is no permission to inspect the process, or if a user-space file system provides the directory: its program
    /// could block any look-up.
    ///
    /// - Parameter process: The process ID.
    package init?(rootOfProcess process: Int32) {
        let number = xcb_open_directory("/proc/\(process)/root")
        guard number >= 0 else { return nil }
        let directory = Descriptor(number)
        var system = statfs()
        guard fstatfs(number, &system) == 0, system.f_type != XCB_FUSE_MAGIC else { return nil }
        self = directory
    }
}
