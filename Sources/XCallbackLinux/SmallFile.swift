import Glibc

/// A small file that is read as a whole, with its mode.
package struct SmallFile {
    /// The content; for a larger file, its first bytes.
    package let bytes: [UInt8]
    /// The permission bits, without the file type.
    package let mode: UInt32

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
        mode = UInt32(status.st_mode) & 0o7777
    }
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
