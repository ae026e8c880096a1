import CLinux
import Glibc
import XCallbackLinux

/// The file of a socket, with the lock that keeps other daemons from its path; removed with its owner.
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
        // If another process has taken over the path, the file stays.
        do {
            if try SocketIdentity(ofFile: path) == identity { unlink(path) }
        } catch {
            // The file is already removed: nothing is left to do.
        }
    }
}

/// Distinguishes the file of a socket from a later file with the same name.
struct SocketIdentity: Hashable {
    private let device: UInt64
    private let inode: UInt64

    init(ofFile path: String) throws(SystemError) {
        var file = xcb_file()
        _ = try SystemError.check("lstat") { xcb_file_read(path, AT_SYMLINK_NOFOLLOW, &file) }
        (device, inode) = (file.device, file.inode)
    }
}
