import Glibc

/// The user namespace that this process is in, where other users may have no number of their own.
package enum UserNamespace {
    /// The number under which all appear that have none (user_namespaces(7)).
    private static let nobody: UInt32 = 65_534
    /// Whether root has no number here, and this process may look into none that is outside.
    package static let hidesRoot = text(of: "/proc/self/uid_map").map(hidesRoot(inMap:)) ?? false

    /// Whether a number may be root's: in a user namespace without root, root looks like nobody, as all others do.
    ///
    /// - Parameter userID: The number as it appears here.
    /// - Returns: True of 0, and of nobody where root has no number.
    package static func mayBeRoot(_ userID: UInt32) -> Bool {
        userID == 0 || (userID == nobody && hidesRoot)
    }

    /// Whether root has no number.
    ///
    /// - Parameter map: The lines of a `uid_map`: the first number inside, the first outside, and how many.
    /// - Returns: False if there is no map, so that nothing was mapped yet.
    package static func hidesRoot(inMap map: String) -> Bool {
        let first = map.split(separator: "\n").compactMap { $0.split(separator: " ").first }
        return !first.isEmpty && !first.contains("0")
    }

    private static func text(of path: String) -> String? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = read(descriptor, &bytes, bytes.count)
        return count < 0 ? nil : String(decoding: bytes[..<count], as: UTF8.self)
    }
}
