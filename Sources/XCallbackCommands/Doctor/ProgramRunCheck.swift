import XCallbackLinux

/// Checks whether programs of a user's daemon can run in scopes of the user's service manager.
enum ProgramRunCheck: DoctorCheck {
    static let name = "programs"

    static func findings(in examination: Examination) -> [Finding] {
        guard !examination.isOfMachine, examination.scope != .system else { return [] }
        let subject = "service manager"
        return [
            ManagerScope.user.isRunning
                ? Finding(.good, of: subject, "detached programs of routes run in scopes of the service manager")
                : Finding(
                    .skipped, of: subject,
                    "all programs of routes run as children of the daemon: your service manager is not running")
        ]
    }
}
