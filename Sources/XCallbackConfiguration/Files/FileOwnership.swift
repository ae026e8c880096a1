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

/// Checks the owners of an opened file or directory, and of the links to it.
struct OwnershipCheck {
    let ownership: FileOwnership
    /// The description in messages.
    let what: String
    let place: Place
    let faults: FaultList
    /// The configuration folders; nil if links may lead anywhere.
    var folders: ConfigurationFolders?

    /// Reports a forbidden owner or mode.
    ///
    /// The group counts as other users, whoever its members are: group membership can change at any time.
    ///
    /// - Parameters:
    ///   - status: The status of the file or directory.
    ///   - folder: The directory that contains the file, or the directory itself.
    func check(_ status: stat, in folder: Int32) {
        if ownership == .any { return }
        checkOwner(status.st_uid, of: what) { RootsFolders.hold(folder) }
        if status.st_mode & 0o022 != 0 {
            let mode = String(status.st_mode & 0o7777, radix: 8)
            let padding = String(repeating: "0", count: max(4 - mode.count, 0))
            faults.report(
                "expected \(what) that only its owner may write to, found mode \(padding)\(mode); try 'chmod go-w'",
                at: place
            )
        }
    }

    /// Reports links that another user could have created.
    func check(_ links: [SymbolicLink]) {
        for link in links {
            let what = link.path == place.file ? "a link" : "a link at \(link.path.quoted)"
            checkOwner(link.owner, of: what) { link.isInRootsFolder }
        }
    }

    /// Reports a link that leaves the configuration folders.
    ///
    /// - Parameters:
    ///   - links: The links that were followed.
    ///   - folder: The directory to which they have led.
    /// - Returns: Whether there is no such link.
    func stays(_ links: [SymbolicLink], in folder: Int32) -> Bool {
        guard ownership != .any, let folders, let link = links.first, !folders.contain(folder) else { return true }
        let target = link.target.quoted
        if UserNamespace.hidesRoot {
            faults.report(
                "expected a link that stays in the folders of the configuration, because this user namespace hides "
                    + "owners; found one to \(target): put a copy here", at: place)
            return false
        }
        faults.warn(
            "a link to \(target) leaves the folders of the configuration, which \(Self.unitRejects); put a copy here",
            at: place)
        return true
    }

    /// Reports a forbidden owner, or records that the owner could not be checked.
    ///
    /// - Parameters:
    ///   - owner: The owner.
    ///   - what: What the owner owns, in a message.
    ///   - isInRootsFolder: Whether only root could have put the file where it is.
    func checkOwner(_ owner: UInt32, of what: String, isInRootsFolder: () -> Bool) {
        let user: UInt32
        switch ownership {
        case .any: return
        case .rootOrUser(let id): user = id
        case .rootOrUnknownUser:
            if UserNamespace.mayBeRoot(owner), !UserNamespace.hidesRoot || isInRootsFolder() { return }
            return faults.leave(
                "the owner of \(what), uid \(owner), because neither a daemon nor a service manager here says which user "
                    + "the daemon runs as: expected root or that user", at: place)
        }
        guard UserNamespace.mayBeRoot(owner) else {
            if owner == user { return }
            let expected = user == 0 ? "root" : "root or uid \(user)"
            return faults.report("expected \(what) that belongs to \(expected), found uid \(owner)", at: place)
        }
        if UserNamespace.hidesRoot {
            if isInRootsFolder() { return }
            faults.report(
                "expected \(what) that belongs to uid \(user), found an owner that this user namespace hides; root's "
                    + "files must be below /etc or /usr, others must belong to uid \(user)", at: place)
        } else if folders != nil, !isInRootsFolder() {
            faults.warn(
                "\(what) of root is outside of /etc and /usr, which \(Self.unitRejects); try 'chown -h \(user)'",
                at: place)
        }
    }

    private static let unitRejects = "xcallbackd.service rejects because its user namespace hides owners"
}

extension OpenedPath {
    /// Reports a fault if another user could have chosen the opened file, because they own the file or a link to it.
    ///
    /// - Parameters:
    ///   - ownership: The required owner.
    ///   - what: The description in messages.
    ///   - place: The place of the faults.
    ///   - faults: The list to which faults are reported.
    package func checkOwners(_ ownership: FileOwnership, what: String, at place: Place, _ faults: FaultList) {
        let check = OwnershipCheck(ownership: ownership, what: what, place: place, faults: faults)
        check.check(links)
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            return faults.report("cannot be read: \(reason(errno))", at: place)
        }
        check.checkOwner(status.st_uid, of: what) { RootsFolders.hold(folder) }
    }
}
