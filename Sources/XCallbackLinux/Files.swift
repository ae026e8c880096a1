import CLinux
import Glibc

/// A small file that is read as a whole, with its mode.
package struct SmallFile {
    /// The content; for a larger file, its first bytes.
    package let bytes: [UInt8]
    /// The permission bits, without the file type.
    package let mode: UInt32
    /// The user ID of its owner.
    package let owner: UInt32

    /// The content as text.
    package var text: String { String(decoding: bytes, as: UTF8.self) }

    /// Reads a file.
    ///
    /// - Parameters:
    ///   - path: The path.
    ///   - directory: The directory for a relative path.
    ///   - isFollowed: Whether the last component of the path can be a symbolic link.
    ///   - limit: The maximum number of bytes to read.
    /// - Throws: ``SystemError`` if the file cannot be read, or is not a regular file.
    package init(
        _ path: String, in directory: Int32 = AT_FDCWD, isFollowed: Bool = true, atMost limit: Int = 65_536
    ) throws(SystemError) {
        // Without O_NONBLOCK, a pipe without a writer would block the reader forever.
        let flags = O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | (isFollowed ? 0 : O_NOFOLLOW)
        let file = Descriptor(try SystemError.check("open") { openat(directory, path, flags) })
        try self.init(descriptor: file.number, atMost: limit)
    }

    /// Reads an open file.
    ///
    /// - Throws: ``SystemError`` if the file cannot be read, or is not a regular file.
    package init(descriptor: Int32, atMost limit: Int = 65_536) throws(SystemError) {
        var status = stat()
        _ = try SystemError.check("fstat") { fstat(descriptor, &status) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw SystemError("open", code: EINVAL) }
        bytes = try readAll(descriptor, atMost: limit)
        (mode, owner) = (UInt32(status.st_mode) & 0o7777, status.st_uid)
    }
}

/// Returns when the content, the owner or the mode of a file last changed, in nanoseconds since 1970; nil without access.
package func changeTime(ofFile path: String) -> Int64? {
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    return Int64(status.st_ctim.tv_sec) * 1_000_000_000 + Int64(status.st_ctim.tv_nsec)
}

/// The identity of a file, independent of its name.
package struct FileIdentity: Hashable, Sendable {
    private let device: UInt
    private let number: UInt

    /// Finds the identity of a file; nil if it does not exist or is not accessible.
    ///
    /// - Parameters:
    ///   - path: The path.
    ///   - isFollowed: Whether a symbolic link stands for its target.
    package init?(ofFile path: String, isFollowed: Bool = true) {
        var status = stat()
        guard fstatat(AT_FDCWD, path, &status, isFollowed ? 0 : AT_SYMLINK_NOFOLLOW) == 0 else { return nil }
        (device, number) = (UInt(status.st_dev), UInt(status.st_ino))
    }
}

/// The access control list of a file or directory (acl(5)).
///
/// Its mode shows what the list gives to users and groups by name as a permission of the group that owns it.
package struct AccessList {
    /// A permission.
    package enum Permission: UInt16 {
        case write = 2
        case read = 4
    }

    private struct Entry {
        static let (user, group, mask): (UInt16, UInt16, UInt16) = (2, 8, 16)

        let tag: UInt16
        let permissions: UInt16
        let id: UInt32
    }

    private var entries: [Entry] = []
    /// Whether the list could not be read, so that it may give any permission.
    private let isUnknown: Bool

    /// Reads the list of a file; empty if it has none.
    package init(_ path: String) {
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = getxattr(path, "system.posix_acl_access", &bytes, bytes.count)
        let code = errno
        isUnknown = count < 0 && code != ENODATA && code != EOPNOTSUPP
        // A version, then the entries; numbers begin with the lowest byte.
        for start in stride(from: 4, to: count - 7, by: 8) {
            let words = stride(from: start, to: start + 8, by: 2).map { UInt16(bytes[$0]) | UInt16(bytes[$0 + 1]) << 8 }
            entries.append(
                Entry(tag: words[0], permissions: words[1], id: UInt32(words[2]) | UInt32(words[3]) << 16))
        }
    }

    /// Whether it gives a permission to a user by name, other than root and this one, or the right to write to a group.
    package func grantsOthers(_ permission: Permission) -> Bool {
        let limit = entries.first { $0.tag == Entry.mask }?.permissions ?? .max
        return isUnknown
            || entries.contains { entry in
                let isUser = entry.tag == Entry.user && ![0, geteuid()].contains(entry.id)
                let isGroup = entry.tag == Entry.group && permission == .write
                return (isUser || isGroup) && entry.permissions & limit & permission.rawValue != 0
            }
    }
}

extension String {
    /// The folder of a path.
    package var parent: String { lastIndex(of: "/").map { $0 == startIndex ? "/" : String(self[..<$0]) } ?? "." }
}

/// Returns a path without links; nil if nothing exists there.
package func realPath(_ path: String) -> String? {
    guard let text = realpath(path, nil) else { return nil }
    defer { free(text) }
    return String(cString: text)
}

/// Returns the path, without links, of a file or a folder; nil for anything else, such as a device or a pipe.
///
/// - Parameters:
///   - path: The path; relative if there is a folder.
///   - folder: The folder that nothing may lead out of; nil for none.
/// - Returns: The path; nil also if it is not UTF-8.
package func existingPath(_ path: String, below folder: String? = nil) -> String? {
    let directory = folder.map { xcb_open_directory($0) } ?? AT_FDCWD
    guard directory >= 0 || folder == nil else { return nil }
    defer { if folder != nil { _ = xcb_close(directory) } }
    let file = xcb_open_path(directory, path)
    guard file >= 0 else { return nil }
    defer { _ = xcb_close(file) }
    var status = stat()
    var text = [UInt8](repeating: 0, count: Int(PATH_MAX))
    let link = "/proc/self/fd/\(file)"
    let count = readlink(link, &text, text.count)
    // The kernel marks a file that is gone in this text.
    guard fstat(file, &status) == 0, [S_IFREG, S_IFDIR].contains(status.st_mode & S_IFMT), count > 0,
        let found = String(validating: text.prefix(count), as: UTF8.self),
        FileIdentity(ofFile: found, isFollowed: false) == FileIdentity(ofFile: link)
    else { return nil }
    return found
}

/// Returns the working directory of this process, with a trailing slash.
package func workingFolder() -> String {
    let path = getcwd(nil, 0)
    defer { free(path) }
    let folder = path.map { String(cString: $0) } ?? "/"
    return folder.hasSuffix("/") ? folder : "\(folder)/"
}
