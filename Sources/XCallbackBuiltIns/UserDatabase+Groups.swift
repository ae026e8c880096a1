import Glibc

extension UserDatabase {
    /// The number of a group; nil if there is none of that name, or it cannot be looked up.
    ///
    /// - Parameter name: A name of the group database, not a number.
    /// - Returns: The number.
    package static func groupID(named name: String) -> UInt32? {
        var entry = group()
        var result: UnsafeMutablePointer<group>?
        var buffer = [CChar](repeating: 0, count: 65_536)
        while true {
            let code = getgrnam_r(name, &entry, &buffer, buffer.count, &result)
            if code != EINTR { return code == 0 && result != nil ? entry.gr_gid : nil }
        }
    }

    /// The primary group of a user; nil if there is no such user.
    ///
    /// - Parameter userID: The number of the user.
    /// - Returns: The number of the group.
    package static func primaryGroupID(of userID: UInt32) -> UInt32? {
        var entry = passwd()
        var result: UnsafeMutablePointer<passwd>?
        var buffer = [CChar](repeating: 0, count: 65_536)
        while true {
            let code = getpwuid_r(userID, &entry, &buffer, buffer.count, &result)
            if code != EINTR { return code == 0 && result != nil ? entry.pw_gid : nil }
        }
    }
}
