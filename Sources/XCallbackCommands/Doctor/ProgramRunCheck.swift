import XCallbackLinux

/// Checks whether programs can run in scopes, where detached ones outlive a user's daemon, and show windows.
enum ProgramRunCheck: DoctorCheck {
    static let name = "programs"

    static func findings(in examination: Examination) -> [Finding] {
        guard examination.scope != .system else { return [] }
        let subject = "service manager"
        guard ManagerScope.user.isRunning else {
            return [
                Finding(
                    .skipped, of: subject,
                    "detached programs end with the daemon, and routes with 'runner: unit' are refused: your service "
                        + "manager is not running")
            ]
        }
        let scopes = Finding(.good, of: subject, "detached programs run in scopes of your service manager")
        guard ManagerDisplay.isMissing else { return [scopes] }
        return [
            scopes,
            Finding(
                .fault, of: "display",
                "your service manager has no display: programs and questions of the daemon cannot show windows",
                mend: Finding.Mend(command: ManagerDisplay.command), advice: "and \(ManagerDisplay.advice)"),
        ]
    }
}
