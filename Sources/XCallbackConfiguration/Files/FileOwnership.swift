import Glibc

/// The required owner of a configuration file and its directory.
package enum FileOwnership: Hashable, Sendable {
    /// Anyone.
    case any
    /// Root or this user, and no other user may have write permission.
    case rootOrUser(UInt32)
    /// Root or a user who is unknown here: files of users other than root are not checked.
    case rootOrUnknownUser
}

/// Checks the owners and modes of an opened file or directory, and of the directories above it.
struct OwnershipCheck {
    let ownership: FileOwnership
    let place: Place
    let faults: FaultList

    /// Reports a forbidden owner or mode.
    ///
    /// - Parameters:
    ///   - status: The status of the file or directory.
    ///   - what: The description in messages.
    ///   - path: Its path.
    ///   - mayBeSticky: Whether others may write to a sticky directory of root, in which nobody can replace the files of
    ///     others.
    func check(_ status: stat, of what: String, at path: String, mayBeSticky: Bool = false) {
        if ownership == .any { return }
        checkOwner(status.st_uid, of: what)
        if status.st_mode & 0o022 == 0 || mayBeSticky && status.st_mode & 0o1000 != 0 { return }
        if status.st_mode & 0o002 == 0, isPrivateGroup(status.st_gid, of: status.st_uid) { return }
        let mode = String(status.st_mode & 0o7777, radix: 8)
        let padding = String(repeating: "0", count: max(4 - mode.count, 0))
        faults.report(
            "expected \(what) that only its owner may write to, found mode \(padding)\(mode): run 'chmod go-w "
                + "\(path.shellQuoted)'", at: place)
    }

    /// Reports a forbidden owner, or records that the owner could not be checked.
    ///
    /// - Parameters:
    ///   - owner: The owner.
    ///   - what: What the owner owns, in a message.
    func checkOwner(_ owner: UInt32, of what: String) {
        if owner == 0 { return }
        switch ownership {
        case .any: return
        case .rootOrUser(let user):
            if owner == user { return }
            let expected = user == 0 ? "root" : "root or uid \(user)"
            faults.report("expected \(what) that belongs to \(expected), found uid \(owner)", at: place)
        case .rootOrUnknownUser:
            faults.leave(
                "the owner of \(what), uid \(owner), because only the daemon knows which user it runs as: expected root or "
                    + "that user", at: place)
        }
    }

    /// Reports the first directory above a path in which another user can replace files.
    ///
    /// - Parameter path: A path without links.
    func checkFolders(above path: String) {
        var rest = path[...]
        while let slash = rest.lastIndex(of: "/") {
            rest = rest[..<slash]
            let folder = rest.isEmpty ? "/" : String(rest)
            var status = stat()
            guard stat(folder, &status) == 0 else { continue }
            let count = faults.reportCount
            check(status, of: "a directory \(folder.quoted)", at: folder, mayBeSticky: true)
            if faults.reportCount > count { return }
        }
    }

    /// Whether a group is a user's own: it has the user's name and is the primary one, and has no other members.
    private func isPrivateGroup(_ groupID: UInt32, of userID: UInt32) -> Bool {
        guard let user = getpwuid(userID)?.pointee, user.pw_gid == groupID else { return false }
        let name = String(cString: user.pw_name)
        guard let group = getgrgid(groupID)?.pointee, String(cString: group.gr_name) == name else { return false }
        var member = group.gr_mem
        while let text = member?.pointee {
            if String(cString: text) != name { return false }
            member = member?.successor()
        }
        return true
    }
}
