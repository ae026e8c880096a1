import Glibc
import XCallbackLinux

/// A small file of the user, which is read and replaced as a whole.
struct UserFile {
    /// Its path.
    let path: String

    /// Reads the text; nil if the file does not exist.
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

    /// Replaces the text atomically: readers get either the old or the new text.
    ///
    /// Missing folders are created. If the file is a link, its target is replaced.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - permissions: The permissions; nil to keep the current ones.
    /// - Throws: ``Failure`` if it cannot be written; then it is unchanged.
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
        // The files are small, and local file systems write them at once or not at all.
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

    /// Removes the file; does nothing if it does not exist.
    ///
    /// - Throws: ``Failure`` if it cannot be removed.
    func remove() throws(Failure) {
        guard unlink(path) != 0 else { return }
        let code = errno
        if code != ENOENT { throw failure("remove", code) }
    }

    /// The maximum size that is read: a larger file cannot be valid.
    private static let limit = 1_048_576

    /// Returns the permissions of the replaced file, or those of a new one.
    private func mode(of path: String) -> mode_t {
        var status = stat()
        return stat(path, &status) == 0 ? status.st_mode & 0o777 : 0o644
    }

    private func makeFolder() throws(Failure) {
        for index in path.indices.dropFirst() where path[index] == "/" {
            let folder = String(path[..<index])
            if mkdir(folder, 0o700) == 0 {
                // The user's umask could lock the user out.
                chmod(folder, 0o700)
                continue
            }
            let code = errno
            // An existing folder may be inaccessible for creating, but not for its contents.
            if code != EEXIST, access(folder, F_OK) != 0 { throw failure("create the folder of", code) }
        }
    }

    private func failure(_ verb: String, _ code: Int32) -> Failure {
        Failure(.errorAnswer, "cannot \(verb) '\(path)': \(systemMessage(code))")
    }
}
