import Glibc

/// A unique directory, which is removed with its contents.
package final class TemporaryDirectory: Sendable {
    /// The path, without a trailing slash.
    package let path: String

    /// Creates the directory.
    package init() throws {
        var template = Array("/tmp/xcallbackd-test-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw TestFailure("mkdtemp", code: errno) }
        path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        // A listener in this process briefly changes the umask of all threads.
        chmod(path, 0o700)
    }

    deinit {
        removeDirectory(path)
    }

    /// Returns the path of a file in the directory.
    package func path(of name: String) -> String { "\(path)/\(name)" }

    /// Whether a file with a name exists.
    package func contains(_ name: String) -> Bool { access(path(of: name), F_OK) == 0 }

    /// Writes a file that its owner may change and every user may read; missing directories are created.
    ///
    /// - Returns: The path of the file.
    @discardableResult
    package func write(_ text: String, to name: String) throws -> String {
        let path = path(of: name)
        for index in name.indices where name[index] == "/" {
            let directory = self.path(of: String(name[..<index]))
            if mkdir(directory, 0o755) == 0 { chmod(directory, 0o755) }
        }
        let descriptor = try TestFailure.check(
            "open \(path)", open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644))
        defer { close(descriptor) }
        fchmod(descriptor, 0o644)
        let bytes = Array(text.utf8)
        let count = Glibc.write(descriptor, bytes, bytes.count)
        guard count == bytes.count else { throw TestFailure("cannot write \(path)") }
        return path
    }

    /// Reads a whole file.
    package func text(of name: String) throws -> String { try textOfFile(path(of: name)) }

    /// The permissions of a file or folder.
    package func mode(of name: String) throws -> UInt32 {
        var status = stat()
        _ = try TestFailure.check("lstat \(name)", lstat(path(of: name), &status))
        return UInt32(status.st_mode) & 0o7777
    }

    /// Returns the names of a folder's entries, unsorted.
    package func names(in folder: String) throws -> [String] { try namesInFolder(path(of: folder)) }
}

/// Returns the names of a folder's entries, unsorted.
package func namesInFolder(_ path: String) throws -> [String] {
    guard let entries = opendir(path) else { throw TestFailure("opendir \(path)", code: errno) }
    defer { closedir(entries) }
    var names: [String] = []
    while let entry = readdir(entries) {
        let name = withUnsafePointer(to: &entry.pointee.d_name) {
            $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
        }
        if name != ".", name != ".." { names.append(name) }
    }
    return names
}

/// Removes a directory and its contents.
package func removeDirectory(_ path: String) {
    for name in (try? namesInFolder(path)) ?? [] {
        // A folder cannot be unlinked, and a link to a folder can.
        if unlink("\(path)/\(name)") != 0 { removeDirectory("\(path)/\(name)") }
    }
    rmdir(path)
}

/// Reads a whole file, including those of `/proc`.
package func textOfFile(_ path: String) throws -> String {
    String(decoding: try bytesOfFile(path), as: UTF8.self)
}

/// Returns the target of a symbolic link; nil if it cannot be read.
package func targetOfLink(_ path: String) -> String? {
    var target = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink(path, &target, target.count)
    return count < 0 ? nil : String(decoding: target[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
}

/// Reads a whole file, which may be binary.
package func bytesOfFile(_ path: String) throws -> [UInt8] {
    let descriptor = try TestFailure.check("open \(path)", open(path, O_RDONLY | O_CLOEXEC))
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 65_536)
    while true {
        let count = read(descriptor, &part, part.count)
        guard count > 0 else { return bytes }
        bytes += part[..<count]
    }
}
