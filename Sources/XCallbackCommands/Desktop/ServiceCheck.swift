import Glibc
import XCallbackLinux

/// Whether the user's service manager starts the daemon, and runs the programs of routes.
enum ServiceCheck {
    /// What the service manager says; nothing where there is none to ask.
    static var findings: [Finding] {
        let unit = UserUnit.name
        guard ToolRun.isInstalled("systemctl") else { return [] }
        let state: String
        switch UserUnit.state {
        case .unmanaged:
            return [
                Finding(
                    .odd,
                    "no service manager of yours runs: the daemon has to be started by hand, and runs programs itself")
            ]
        case .unknown: state = "unknown"
        case .known(_, let activity): state = activity
        }
        let start =
            state == "active"
            ? Finding(.fine, "the service manager starts the daemon (\(unit))")
            : Finding(
                .odd, "the service manager does not start the daemon: \(unit) is \(state)",
                advice: "say 'systemctl --user enable --now \(unit)'")
        return [start, programFinding]
    }

    /// Where the programs of routes run: the daemon finds the service manager on the user's message bus.
    private static var programFinding: Finding {
        let folder = getenv("XDG_RUNTIME_DIR").map { String(cString: $0) } ?? "/run/user/\(geteuid())"
        return getenv("DBUS_SESSION_BUS_ADDRESS") != nil || access("\(folder)/bus", F_OK) == 0
            ? Finding(.fine, "programs of routes run in units of the service manager")
            : Finding(
                .odd, "programs of routes run in the daemon, as there is no message bus of yours",
                advice: "install dbus-user-session")
    }
}
