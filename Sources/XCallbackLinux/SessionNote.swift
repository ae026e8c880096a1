import Glibc

/// Explains why this process may not find a user's daemon, if it does not run in a session of that user; nil if it does.
package func sessionNote() -> String? {
    let (userID, folder) = (geteuid(), variable("XDG_RUNTIME_DIR"))
    var status = stat()
    if let folder, stat(folder, &status) != 0 || status.st_uid == userID { return nil }
    if userID == 0 {
        // Only a user's session, such as that of sudo, names the user.
        let owner = folder == nil ? nil : status.st_uid
        let user = owner.flatMap { UserDatabase.name(of: $0) } ?? "USER"
        return "root has no daemon of a user: for that, 'runuser -u \(user) -- env XDG_RUNTIME_DIR=/run/user/"
            + "\(owner.map { "\($0)" } ?? "UID") xcallback …'"
    }
    let own = "/run/user/\(userID)"
    if let folder { return "XDG_RUNTIME_DIR is '\(folder)', of another user, as after 'su': set it to \(own)" }
    let rest =
        access(own, F_OK) == 0
        ? "'\(own)' is used instead" : "'\(own)' does not exist: log in, or set it to a folder of your own"
    return "XDG_RUNTIME_DIR is not set, as after 'su' or in a cron job, and \(rest)"
}
