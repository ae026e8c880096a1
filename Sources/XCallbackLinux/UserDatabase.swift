import Glibc

/// The users and groups of the system, by name; a look-up may block.
package enum UserDatabase {
    /// Returns the ID of a user; nil if there is no user with that name, or the look-up fails.
    ///
    /// - Parameter name: A name of the user database, not a number.
    /// - Returns: The user ID.
    package static func userID(named name: String) -> UInt32? {
        lookUp { buffer in
            var entry = passwd()
            var result: UnsafeMutablePointer<passwd>?
            let code = getpwnam_r(name, &entry, &buffer, buffer.count, &result)
            return (code, result == nil ? nil : entry.pw_uid)
        }
    }

    /// Whether there is a user with an ID; nil if the look-up fails.
    ///
    /// IDs that systemd allocates to a container have names, but do not count as users: any login can start such containers
    /// (systemd-nsresourced(8)).
    ///
    /// - Parameter userID: The user ID.
    /// - Returns: True if the user database has an entry that does not belong to a container.
    package static func hasUser(_ userID: UInt32) -> Bool? {
        var isAnswered = false
        let number = lookUp { buffer in
            var entry = passwd()
            var result: UnsafeMutablePointer<passwd>?
            let code = getpwuid_r(userID, &entry, &buffer, buffer.count, &result)
            isAnswered = code == 0
            guard result != nil, !isContainer(String(cString: entry.pw_name)) else { return (code, nil) }
            return (code, entry.pw_uid)
        }
        return isAnswered ? number != nil : nil
    }

    /// Whether systemd has generated a name for an ID of a container, such as `ns-web-0`.
    ///
    /// - Parameter name: A name of the user database.
    /// - Returns: True if the name ends in the ID within the container.
    package static func isContainer(_ name: String) -> Bool {
        (name.hasPrefix("ns-") || name.hasPrefix("vu-"))
            && name.split(separator: "-").last.flatMap { UInt32($0) } != nil
    }

    /// Returns the ID of a group; nil if there is no group with that name, or the look-up fails.
    ///
    /// - Parameter name: A name of the group database, not a number.
    /// - Returns: The group ID.
    package static func groupID(named name: String) -> UInt32? {
        lookUp { buffer in
            var entry = group()
            var result: UnsafeMutablePointer<group>?
            let code = getgrnam_r(name, &entry, &buffer, buffer.count, &result)
            return (code, result == nil ? nil : entry.gr_gid)
        }
    }

    /// Returns the groups of a user, the primary one first; nil if there is no such user.
    ///
    /// - Parameter userID: The user ID.
    /// - Returns: The group IDs.
    package static func groupIDs(of userID: UInt32) -> [UInt32]? {
        var entry = passwd()
        var result: UnsafeMutablePointer<passwd>?
        var buffer = [CChar](repeating: 0, count: 1 << 16)
        guard getpwuid_r(userID, &entry, &buffer, buffer.count, &result) == 0, result != nil else { return nil }
        // The maximum number of groups on Linux (NGROUPS_MAX).
        var groups = [UInt32](repeating: 0, count: 1 << 16)
        var count = Int32(groups.count)
        guard getgrouplist(entry.pw_name, entry.pw_gid, &groups, &count) >= 0 else { return [entry.pw_gid] }
        return Array(groups.prefix(Int(count)))
    }

    /// Returns the home directory of a user; nil if there is no such user, or the look-up fails.
    ///
    /// - Parameter userID: The user ID.
    /// - Returns: The path.
    package static func home(of userID: UInt32) -> String? {
        var home: String?
        _ = lookUp { buffer in
            var entry = passwd()
            var result: UnsafeMutablePointer<passwd>?
            let code = getpwuid_r(userID, &entry, &buffer, buffer.count, &result)
            home = result == nil ? nil : String(cString: entry.pw_dir)
            return (code, nil)
        }
        return home
    }

    /// Returns the name of a user; nil if there is no such user, or the look-up fails.
    ///
    /// - Parameter userID: The user ID.
    /// - Returns: The name.
    package static func name(of userID: UInt32) -> String? {
        var name: String?
        _ = lookUp { buffer in
            var entry = passwd()
            var result: UnsafeMutablePointer<passwd>?
            let code = getpwuid_r(userID, &entry, &buffer, buffer.count, &result)
            name = result == nil ? nil : String(cString: entry.pw_name)
            return (code, nil)
        }
        return name
    }

    /// Repeats a look-up with a larger buffer until the entry fits; a group can have many members.
    private static func lookUp(_ call: (inout [CChar]) -> (code: Int32, number: UInt32?)) -> UInt32? {
        var buffer = [CChar](repeating: 0, count: 1024)
        while true {
            let (code, number) = call(&buffer)
            switch code {
            case 0: return number
            case EINTR: continue
            case ERANGE where buffer.count < 1 << 20: buffer = [CChar](repeating: 0, count: buffer.count * 2)
            default: return nil
            }
        }
    }
}
