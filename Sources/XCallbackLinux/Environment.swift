import Glibc

/// Returns an environment variable; nil if it is unset or empty.
package func variable(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
}

/// The variable that selects where Dispatch writes its log.
private let dispatchLog = "LIBDISPATCH_LOG"

/// Switches off the log of Dispatch; call it first in `main`.
///
/// Dispatch gives its threads the priority of their work, and logs each time that only root may raise it. The journal would
/// add the command line, with its URLs, to each of these lines.
package func silenceDispatch() {
    setenv(dispatchLog, "NO", 1)
}

/// Opens the null device for each missing one of the descriptors 0, 1 and 2; call it first in `main`.
///
/// Otherwise the process's own files would take these numbers, and lines of the log would be written into them.
package func openMissingStandardDescriptors() {
    for number in STDIN_FILENO...STDERR_FILENO where fcntl(number, F_GETFD) < 0 { _ = open("/dev/null", O_RDWR) }
}

/// Whether a descriptor is the stream to the journal that the service manager has opened.
///
/// A service keeps the variable with the stream's identity after its output was redirected, so only a match counts
/// (systemd.exec(5)).
package func isJournal(_ descriptor: Int32, stream: String? = variable("JOURNAL_STREAM")) -> Bool {
    var status = stat()
    return fstat(descriptor, &status) == 0 && stream == "\(status.st_dev):\(status.st_ino)"
}

/// Returns the environment of this process for its children, as `NAME=value`.
package func inheritedVariables() -> [String] {
    var variables: [String] = []
    var next = environ
    while let text = next.pointee {
        let variable = String(cString: text)
        // It is set here, and not for other programs.
        if !variable.hasPrefix("\(dispatchLog)=") { variables.append(variable) }
        next += 1
    }
    return variables
}

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
