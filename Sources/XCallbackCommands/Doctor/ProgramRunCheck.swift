import XCallbackLinux

/// Checks whether programs can run in scopes: detached ones then outlive a user's daemon.
enum ProgramRunCheck: DoctorCheck {
    static let name = "programs"

    static func findings(in examination: Examination) -> [Finding] {
        guard examination.scope != .system else { return [] }
        let subject = "service manager"
        return [
            ManagerScope.user.isRunning
                ? Finding(.good, of: subject, "detached programs run in scopes of your service manager")
                : Finding(
                    .skipped, of: subject,
                    "detached programs end with the daemon, and routes with 'runner: unit' are refused: your service "
                        + "manager is not running")
        ]
    }
}
