import Glibc

/// The user's session, as far as its files describe it.
enum UserSession {
    /// Whether the user seems to have a service manager with a bus.
    static var hasServiceManager: Bool {
        guard let folder = getenv("XDG_RUNTIME_DIR").map({ String(cString: $0) }), !folder.isEmpty else { return false }
        let hasBus = getenv("DBUS_SESSION_BUS_ADDRESS") != nil || access("\(folder)/bus", F_OK) == 0
        return hasBus && access("\(folder)/systemd/private", F_OK) == 0
    }

    /// Whether a service manager has started this process directly, and not its parent (systemd.exec(5)).
    static let hasStartedProcess = getenv("SYSTEMD_EXEC_PID").map { String(cString: $0) } == "\(getpid())"
}
