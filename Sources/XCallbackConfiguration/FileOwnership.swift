import Glibc

/// Whom a configuration file, and the directory that it is in, must belong to.
package enum FileOwnership: Hashable, Sendable {
    /// Anyone.
    case any
    /// Root or this user, and nobody else may write to it.
    case rootOrUser(UInt32)

    /// Reports what about the owner and the mode of what is opened is not allowed.
    ///
    /// The group counts among the others, whoever is in it: who is may change at any time.
    func check(_ status: stat, of place: Place, what: String, faults: FaultList) {
        guard case .rootOrUser(let user) = self else { return }
        if !UserNamespace.mayBeRoot(status.st_uid), status.st_uid != user {
            let expected = user == 0 ? "root" : "root or uid \(user)"
            faults.report("expected \(what) that belongs to \(expected), found uid \(status.st_uid)", at: place)
        }
        if status.st_mode & 0o022 != 0 {
            let mode = String(status.st_mode & 0o7777, radix: 8)
            let padding = String(repeating: "0", count: max(4 - mode.count, 0))
            faults.report(
                "expected \(what) that only its owner may write to, found mode \(padding)\(mode); try 'chmod go-w'",
                at: place
            )
        }
    }
}
