import CLinux
import Glibc

extension Descriptor {
    /// Opens the root directory of a process, to look files up in it.
    ///
    /// It is nil if the process may not be looked into, or if a program provides the file system of the directory: that
    /// could keep whoever looks there waiting.
    ///
    /// - Parameter process: The number of the process.
    package init?(rootOfProcess process: Int32) {
        let number = xcb_open_directory("/proc/\(process)/root")
        guard number >= 0 else { return nil }
        let directory = Descriptor(number)
        var system = statfs()
        guard fstatfs(number, &system) == 0, system.f_type != XCB_FUSE_MAGIC else { return nil }
        self = directory
    }
}
