import Foundation
import Glibc

/// The directory of a run's sockets, configurations and logs.
struct Workspace {
    private let directory: URL

    /// Creates a directory that other users cannot enter.
    init() throws {
        directory = FileManager.default.temporaryDirectory.appending(path: "xcallbackd-bench-\(getpid())")
        try FileManager.default.createDirectory(
            at: directory, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700]
        )
    }

    /// Returns the path of a file.
    func path(_ name: String) -> String {
        directory.appending(path: name).path
    }

    /// Writes a file and returns its path.
    func write(_ text: String, to name: String) throws -> String {
        try text.write(toFile: path(name), atomically: false, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path(name))
        return path(name)
    }

    /// Creates a directory in which other users can look up files once they have reached it, and returns its path.
    func makeSharedDirectory(_ name: String) throws -> String {
        try FileManager.default.createDirectory(
            atPath: path(name), withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
        return path(name)
    }

    /// Removes everything, even if ending servers remove some files at the same time.
    func remove() {
        for _ in 0..<20 {
            try? FileManager.default.removeItem(at: directory)
            guard FileManager.default.fileExists(atPath: directory.path) else { return }
            usleep(50_000)
        }
    }
}
