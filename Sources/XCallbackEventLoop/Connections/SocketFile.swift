import CLinux
import Glibc
import XCallbackLinux

/// The file of a socket, with the lock that keeps other daemons from its path; it is removed when its owner goes.
struct SocketFile: ~Copyable {
    private let path: String
    let identity: SocketIdentity
    private let lock: Descriptor

    init(_ path: String, _ lock: consuming Descriptor) throws(SystemError) {
        identity = try SocketIdentity(ofFile: path)
        self.path = path
        self.lock = lock
    }

    deinit {
        // Whoever has taken the path meanwhile keeps it.
        do {
            if try SocketIdentity(ofFile: path) == identity { unlink(path) }
        } catch {
            // Somebody has removed the file: nothing is left to do.
        }
    }
}

/// Tells the file of a socket from another one that later has its name.
struct SocketIdentity: Hashable {
    private let device: UInt64
    private let inode: UInt64

    init(ofFile path: String) throws(SystemError) {
        var file = xcb_file()
        _ = try SystemError.check("lstat") { xcb_file_read(path, AT_SYMLINK_NOFOLLOW, &file) }
        (device, inode) = (file.device, file.inode)
    }
}
