import Glibc

/// The users and groups of the system, by name; a look-up may block.
package enum UserDatabase {
    /// Returns the ID of a user; nil if there is no user with that name, or the look-up fails.
    ///
    /// - Parameter name: A name of the user database, not a number.
    /// - Returns: The user ID.
    package static func userID(named name: String) -> UInt32? {
        find(passwd(), { getpwnam_r(name, $0, $1, $2, $3) }, \.pw_uid)?.value
    }

    /// Returns the ID of a group; nil if there is no group with that name, or the look-up fails.
    ///
    /// - Parameter name: A name of the group database, not a number.
    /// - Returns: The group ID.
    package static func groupID(named name: String) -> UInt32? {
        find(group(), { getgrnam_r(name, $0, $1, $2, $3) }, \.gr_gid)?.value
    }

    /// Returns the name of a group; nil if there is no such group, or the look-up fails.
    package static func name(ofGroup groupID: UInt32) -> String? {
        find(group(), { getgrgid_r(groupID, $0, $1, $2, $3) }, { String(cString: $0.gr_name) })?.value
    }

    /// Returns the name of a user; nil if there is no such user, or the look-up fails.
    ///
    /// - Parameter userID: The user ID.
    /// - Returns: The name.
    package static func name(of userID: UInt32) -> String? { find(userID) { String(cString: $0.pw_name) }?.value }

    /// Returns the home directory of a user; nil if there is no such user, or the look-up fails.
    ///
    /// - Parameter userID: The user ID.
    /// - Returns: The path.
    package static func home(of userID: UInt32) -> String? { find(userID) { String(cString: $0.pw_dir) }?.value }

    /// Whether there is a user with an ID; nil if the look-up fails.
    ///
    /// IDs that systemd allocates to a container have names, but do not count as users: any login can start such containers
    /// (systemd-nsresourced(8)).
    ///
    /// - Parameter userID: The user ID.
    /// - Returns: True if the user database has an entry that does not belong to a container.
    package static func hasUser(_ userID: UInt32) -> Bool? {
        find(userID) { String(cString: $0.pw_name) }.map { found in found.value.map { !isContainer($0) } ?? false }
    }

    /// Whether systemd has generated a name for an ID of a container, such as `ns-web-0`.
    ///
    /// - Parameter name: A name of the user database.
    /// - Returns: True if the name ends in the ID within the container.
    package static func isContainer(_ name: String) -> Bool {
        (name.hasPrefix("ns-") || name.hasPrefix("vu-"))
            && name.split(separator: "-").last.flatMap { UInt32($0) } != nil
    }

    /// Returns the groups of a user, the primary one first; nil if there is no such user.
    ///
    /// - Parameter userID: The user ID.
    /// - Returns: The group IDs.
    package static func groupIDs(of userID: UInt32) -> [UInt32]? {
        find(userID) { entry in
            // The maximum number of groups on Linux (NGROUPS_MAX).
            var groups = [UInt32](repeating: 0, count: 1 << 16)
            var count = Int32(groups.count)
            guard getgrouplist(entry.pw_name, entry.pw_gid, &groups, &count) >= 0 else { return [entry.pw_gid] }
            return Array(groups.prefix(Int(count)))
        }?.value
    }

    /// Whether a group is a user's own: it has the user's name and is the primary one, and has no other members.
    ///
    /// - Parameters:
    ///   - groupID: The group.
    ///   - userID: The user.
    /// - Returns: False also if a look-up fails.
    package static func isPrivateGroup(_ groupID: UInt32, of userID: UInt32) -> Bool {
        let user = find(userID) { (name: String(cString: $0.pw_name), groupID: $0.pw_gid) }?.value
        guard let user, user.groupID == groupID else { return false }
        let members: [String]? = find(group(), { getgrgid_r(groupID, $0, $1, $2, $3) }) { group in
            var (names, member) = ([String(cString: group.gr_name)], group.gr_mem)
            while let name = member?.pointee {
                names.append(String(cString: name))
                member = member?.successor()
            }
            return names
        }?.value
        return members?.allSatisfy { $0 == user.name } ?? false
    }

    /// The answer of a look-up that has not failed: nil if there is no such entry.
    private struct Answer<Value> {
        let value: Value?
    }

    private static func find<Value>(_ userID: UInt32, _ read: (passwd) -> Value) -> Answer<Value>? {
        find(passwd(), { getpwuid_r(userID, $0, $1, $2, $3) }, read)
    }

    /// Calls a function of the C library, with a larger buffer until the entry fits: a group can have many members.
    ///
    /// - Parameters:
    ///   - empty: An entry to be filled.
    ///   - search: The function.
    ///   - read: Reads the entry that was found.
    /// - Returns: What was read; nil if the look-up fails.
    private static func find<Entry, Value>(
        _ empty: Entry,
        _ search: (
            UnsafeMutablePointer<Entry>, UnsafeMutablePointer<CChar>, Int,
            UnsafeMutablePointer<UnsafeMutablePointer<Entry>?>
        ) -> Int32,
        _ read: (Entry) -> Value
    ) -> Answer<Value>? {
        var (entry, result) = (empty, nil as UnsafeMutablePointer<Entry>?)
        var buffer = [CChar](repeating: 0, count: 1024)
        while true {
            // The entry points into the buffer, so it is read before the buffer can move.
            let (code, answer) = buffer.withUnsafeMutableBufferPointer { buffer -> (Int32, Answer<Value>?) in
                guard let start = buffer.baseAddress else { return (ERANGE, nil) }
                let code = search(&entry, start, buffer.count, &result)
                return (code, code == 0 ? Answer(value: result == nil ? nil : read(entry)) : nil)
            }
            switch code {
            case 0: return answer
            case EINTR: continue
            case ERANGE where buffer.count < 1 << 20: buffer = [CChar](repeating: 0, count: buffer.count * 2)
            default: return nil
            }
        }
    }
}
