import CLinux
import Glibc

/// The file of a socket, with the lock that keeps other daemons from its path; it is removed when its owner goes.
struct SocketFile: ~Copyable {
    private let path: String
    private let identity: SocketIdentity
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

/// Tells a file from another one that later has its name.
private struct SocketIdentity: Hashable {
    let device: dev_t
    let inode: ino_t

    init(ofFile path: String) throws(SystemError) {
        var status = stat()
        _ = try SystemError.check("lstat") { lstat(path, &status) }
        device = status.st_dev
        inode = status.st_ino
    }
}
