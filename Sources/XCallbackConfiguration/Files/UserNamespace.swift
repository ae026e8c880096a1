import Glibc

/// The user namespace of this process, in which other users may not be mapped.
package enum UserNamespace {
    /// The ID as which all unmapped users appear (user_namespaces(7)).
    private static let nobody: UInt32 = 65_534
    /// Whether root is not mapped here; then this process cannot inspect processes outside.
    package static let hidesRoot = text(of: "/proc/self/uid_map").map(hidesRoot(inMap:)) ?? false

    /// Whether an ID may be root's: in a user namespace without root, root appears as nobody, like all other unmapped users.
    ///
    /// - Parameter userID: The ID as seen here.
    /// - Returns: True for 0, and for nobody if root is not mapped.
    package static func mayBeRoot(_ userID: UInt32) -> Bool {
        userID == 0 || (userID == nobody && hidesRoot)
    }

    /// Whether root is not mapped.
    ///
    /// - Parameter map: The lines of a `uid_map`: the first ID inside, the first ID outside, and the number of IDs.
    /// - Returns: False if there is no map, because nothing was mapped yet.
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
