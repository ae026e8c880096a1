import Glibc

/// A mounted file system (FUSE) that never answers: each look at a file in it waits until it is gone.
///
/// Nothing reads its requests, so that a process that waits for one can be killed. Only root can mount it.
package final class SilentFileSystem {
    /// Where it is mounted.
    package let path: String
    private let device: Int32

    /// Whether this process can mount one.
    package static var isAvailable: Bool { geteuid() == 0 && access("/dev/fuse", R_OK | W_OK) == 0 }

    /// Mounts it on a folder.
    ///
    /// - Throws: ``TestFailure`` if that is not possible.
    package init(at path: String) throws {
        self.path = path
        device = try TestFailure.check("open /dev/fuse", open("/dev/fuse", O_RDWR | O_CLOEXEC))
        let options = "fd=\(device),rootmode=40000,user_id=0,group_id=0,allow_other"
        _ = try TestFailure.check("mount", mount("silent", path, "fuse", 0, options))
        try answerFirst()
    }

    deinit {
        // Everything that waits gets an error then.
        umount2(path, Int32(MNT_DETACH))
        close(device)
    }

    /// Answers the first request, FUSE_INIT, as the kernel looks at no file before that (linux/fuse.h, version 7.31).
    private func answerFirst() throws {
        var request = [UInt8](repeating: 0, count: 65_536)
        _ = try TestFailure.check("read", Int32(read(device, &request, request.count)))
        let id = request[8..<16]
        var reply: [UInt8] = []
        func append(_ value: some FixedWidthInteger) { withUnsafeBytes(of: value) { reply += $0 } }
        append(UInt32(16 + 64))
        append(UInt32(0))
        reply += id
        for value in [7, 31, 65_536, 0, 0, 65_536, 1] as [UInt32] { append(value) }
        reply += Array(repeating: 0, count: 16 + 64 - reply.count)
        _ = try TestFailure.check("write", Int32(write(device, reply, reply.count)))
    }
}
