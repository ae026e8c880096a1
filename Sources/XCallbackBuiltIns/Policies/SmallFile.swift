import Glibc
import XCallbackLinux

/// A small file that is read at once, with its mode.
struct SmallFile {
    /// How much of a file is taken.
    static let limit = 65_536

    /// Its bytes, of a larger file the first.
    let bytes: [UInt8]
    /// Who may do what with it, without its type.
    let mode: UInt32
    /// The number of its group.
    let groupID: UInt32

    /// Its text.
    var text: String { String(decoding: bytes, as: UTF8.self) }

    /// Reads a file.
    ///
    /// - Parameters:
    ///   - path: Its path.
    ///   - directory: Where a relative path begins.
    ///   - isFollowed: Whether the last part of the path may be a link.
    /// - Throws: ``SystemError`` if it cannot be read, or is no ordinary file.
    init(_ path: String, in directory: Int32 = AT_FDCWD, isFollowed: Bool = true) throws(SystemError) {
        // Without O_NONBLOCK a pipe without a writer would hold up the reader for ever.
        let flags = O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | (isFollowed ? 0 : O_NOFOLLOW)
        let file = Descriptor(try SystemError.check("open") { openat(directory, path, flags) })
        try self.init(descriptor: file.number)
    }

    /// Reads a file that is open.
    ///
    /// - Throws: ``SystemError`` if it cannot be read, or is no ordinary file.
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
        groupID = status.st_gid
    }
}
