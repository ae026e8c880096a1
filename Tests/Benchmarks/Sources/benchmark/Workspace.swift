import Foundation
import Glibc

/// The directory in which a run keeps its sockets, configurations and logs.
struct Workspace {
    private let directory: URL

    /// Makes a directory that nobody else may enter.
    init() throws {
        directory = FileManager.default.temporaryDirectory.appending(path: "xcallbackd-bench-\(getpid())")
        try FileManager.default.createDirectory(
            at: directory, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700]
        )
    }

    /// The path of a file.
    func path(_ name: String) -> String {
        directory.appending(path: name).path
    }

    /// Writes a file and returns its path.
    func write(_ text: String, to name: String) throws -> String {
        try text.write(toFile: path(name), atomically: false, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path(name))
        return path(name)
    }

    /// Makes a directory in which others may look files up, once they have come so far, and returns its path.
    func makeSharedDirectory(_ name: String) throws -> String {
        try FileManager.default.createDirectory(
            atPath: path(name), withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
        return path(name)
    }

    /// Removes everything, also while servers that end remove some of it themselves.
    func remove() {
        for _ in 0..<20 {
            try? FileManager.default.removeItem(at: directory)
            guard FileManager.default.fileExists(atPath: directory.path) else { return }
            usleep(50_000)
        }
    }
}
