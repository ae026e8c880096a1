import Glibc

/// The users of the system, by name; a look-up may block.
package enum UserDatabase {
    /// The number of a user; nil if there is none of that name, or it cannot be looked up.
    ///
    /// - Parameter name: A name of the user database, not a number.
    /// - Returns: The number.
    package static func userID(named name: String) -> UInt32? {
        var entry = passwd()
        var result: UnsafeMutablePointer<passwd>?
        var buffer = [CChar](repeating: 0, count: 1024)
        while true {
            let code = getpwnam_r(name, &entry, &buffer, buffer.count, &result)
            switch code {
            case 0: return result == nil ? nil : entry.pw_uid
            case EINTR: continue
            case ERANGE where buffer.count < 1 << 20: buffer = [CChar](repeating: 0, count: buffer.count * 2)
            default: return nil
            }
        }
    }
}

/// The users that a configuration names: each name is looked up once.
final class UserNames {
    private var userIDs: [String: UInt32?] = [:]

    /// The number of a user; nil if there is none of that name.
    func userID(named name: String) -> UInt32? {
        if let known = userIDs[name] { return known }
        let userID = UserDatabase.userID(named: name)
        userIDs.updateValue(userID, forKey: name)
        return userID
    }
}
