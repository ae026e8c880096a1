import Glibc
import XCallbackLinux

/// Checks where programs of routes run: a user's daemon finds the service manager on the user's message bus.
enum ProgramRunCheck: DoctorCheck {
    static let name = "programs"

    static func findings(in examination: Examination) -> [Finding] {
        guard examination.scope != .system else { return [] }
        guard ManagerScope.user.isRunning else {
            return [
                Finding(
                    .skipped, of: "service manager",
                    "programs of routes run in the daemon: your service manager is not running")
            ]
        }
        let folder = variable("XDG_RUNTIME_DIR") ?? "/run/user/\(geteuid())"
        let isThere = variable("DBUS_SESSION_BUS_ADDRESS") != nil || access("\(folder)/bus", F_OK) == 0
        return [
            isThere
                ? Finding(.good, of: "\(folder)/bus", "programs of routes run in units of the service manager")
                : Finding(
                    .note, of: "\(folder)/bus",
                    "programs of routes run in the daemon, because your user has no message bus",
                    mend: ToolCheck.installation(of: "dbus-user-session"),
                    advice: ToolCheck.advice(for: "dbus-user-session"))
        ]
    }
}
