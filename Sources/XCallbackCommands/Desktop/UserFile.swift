import Glibc
import XCallbackLinux

/// A small file of the user's, which is read and replaced as a whole.
struct UserFile {
    /// Its path.
    let path: String

    /// Its text; nil if it is not there.
    ///
    /// - Throws: ``Failure`` if it cannot be read.
    func read() throws(Failure) -> String? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            let code = errno
            if code == ENOENT { return nil }
            throw failure("read", code)
        }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 16_384)
        while bytes.count < Self.limit {
            let count = Glibc.read(descriptor, &part, part.count)
            let code = errno
            if count < 0, code == EINTR { continue }
            guard count >= 0 else { throw failure("read", code) }
            if count == 0 { return String(decoding: bytes, as: UTF8.self) }
            bytes += part[..<count]
        }
        throw Failure(.errorAnswer, "'\(path)' is larger than \(Self.limit) bytes and was not changed")
    }

    /// Puts another text in its place, in one step: whoever reads it sees the old one or the new one.
    ///
    /// The folders around it are made. Where the file is a link, its target is replaced.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - permissions: Its permissions; without them, it keeps those that it has.
    /// - Throws: ``Failure`` if it cannot be written; then it is as it was.
    func replace(with text: String, permissions: mode_t? = nil) throws(Failure) {
        try makeFolder()
        let target = realpath(path, nil).map { pointer in
            defer { free(pointer) }
            return String(cString: pointer)
        }
        let path = target ?? path
        var template = Array("\(path).XXXXXX".utf8CString)
        let descriptor = mkstemp(&template)
        guard descriptor >= 0 else { throw failure("write", errno) }
        let bytes = Array(text.utf8)
        // A user's files are small, and those of a local file system are written at once or not at all.
        let mode = permissions ?? mode(of: path)
        let isWritten = write(descriptor, bytes, bytes.count) == bytes.count && fchmod(descriptor, mode) == 0
        let isSafe = isWritten && fsync(descriptor) == 0
        var code = errno
        close(descriptor)
        if isSafe {
            if rename(template, path) == 0 { return }
            code = errno
        }
        unlink(template)
        throw failure("write", code)
    }

    /// Removes it; nothing happens if it is not there.
    ///
    /// - Throws: ``Failure`` if it cannot be removed.
    func remove() throws(Failure) {
        guard unlink(path) != 0 else { return }
        let code = errno
        if code != ENOENT { throw failure("remove", code) }
    }

    /// How much of a file is read: what is larger is not what it should be.
    private static let limit = 1_048_576

    /// The permissions of the file that is replaced, or those of a new one.
    private func mode(of path: String) -> mode_t {
        var status = stat()
        return stat(path, &status) == 0 ? status.st_mode & 0o777 : 0o644
    }

    private func makeFolder() throws(Failure) {
        for index in path.indices.dropFirst() where path[index] == "/" {
            let folder = String(path[..<index])
            if mkdir(folder, 0o700) == 0 {
                // The user's mask could lock the user out.
                chmod(folder, 0o700)
                continue
            }
            let code = errno
            // One that is there may be out of reach for making, but not for what is in it.
            if code != EEXIST, access(folder, F_OK) != 0 { throw failure("create the folder of", code) }
        }
    }

    private func failure(_ verb: String, _ code: Int32) -> Failure {
        Failure(.errorAnswer, "cannot \(verb) '\(path)': \(systemMessage(code))")
    }
}
