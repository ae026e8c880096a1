import Glibc
import XCallbackLinux

/// A small file that is read as a whole, with its mode.
struct SmallFile {
    /// The maximum number of bytes to read.
    static let limit = 65_536

    /// The content; for a larger file, its first bytes.
    let bytes: [UInt8]
    /// The permission bits, without the file type.
    let mode: UInt32

    /// The content as text.
    var text: String { String(decoding: bytes, as: UTF8.self) }

    /// Reads a file.
    ///
    /// - Parameters:
    ///   - path: The path.
    ///   - directory: The directory for a relative path.
    ///   - isFollowed: Whether the last component of the path can be a symbolic link.
    /// - Throws: ``SystemError`` if the file cannot be read, or is not a regular file.
    init(_ path: String, in directory: Int32 = AT_FDCWD, isFollowed: Bool = true) throws(SystemError) {
        // Without O_NONBLOCK, a pipe without a writer would block the reader forever.
        let flags = O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | (isFollowed ? 0 : O_NOFOLLOW)
        let file = Descriptor(try SystemError.check("open") { openat(directory, path, flags) })
        try self.init(descriptor: file.number)
    }

    /// Reads an open file.
    ///
    /// - Throws: ``SystemError`` if the file cannot be read, or is not a regular file.
    init(descriptor: Int32) throws(SystemError) {
        var status = stat()
        _ = try SystemError.check("fstat") { fstat(descriptor, &status) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw SystemError("open", code: EINVAL) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        while bytes.count < Self.limit {
            let count = Int(try SystemError.check("read") { Int32(read(descriptor, &chunk, chunk.count)) })
            if count == 0 { break }
            bytes += chunk[..<count]
        }
        self.bytes = bytes
        mode = UInt32(status.st_mode) & 0o7777
    }
}
