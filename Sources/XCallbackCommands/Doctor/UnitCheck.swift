import Glibc
import XCallbackClient
import XCallbackLinux

/// Checks whether the service manager can start the daemon.
enum UnitCheck: DoctorCheck {
    static let name = "units"

    static func findings(in examination: Examination) -> [Finding] {
        guard let scope = examination.scope else {
            return [
                Finding(
                    .skipped, of: examination.socket,
                    "units were not checked: no unit has the socket \(examination.socket)")
            ]
        }
        guard let units = examination.units else {
            return [scope == .user && AutostartEntry.isNeeded ? start() : unasked(scope)]
        }
        guard units.service.isKnown, units.socket.isKnown else {
            let name = units.socket.isKnown ? units.service.name : units.socket.name
            return [Finding(.skipped, of: name, "\(owner(scope)) does not know \(name)")]
        }
        let mend = UnitMend(service: units.service, socket: units.socket, in: scope, isKept: true).command
            .map { Finding.Mend($0, in: scope) }
        var problems = problems(of: units.socket) + problems(of: units.service)
        if problems.isEmpty, !units.socket.isActive {
            problems = ["\(units.socket.name) is \(units.socket.activity)"]
        }
        guard problems.isEmpty else {
            let text = problems.joined(separator: "; ")
            if let daemon = examination.daemon, !examination.isOfUnit {
                return [bypass(units.socket.name, text, daemon, mend)]
            }
            return [
                Finding(
                    .fault, of: units.socket.name, text, mend: mend, advice: cause(units.service, scope))
            ]
        }
        if !units.socket.isEnabled {
            return [
                Finding(
                    .note, of: units.socket.name,
                    "\(units.socket.name) is running, but not enabled: the next \(scope == .user ? "login" : "boot") "
                        + "does not start it",
                    mend: mend)
            ]
        }
        return [
            Finding(
                .good, of: units.socket.name, "\(owner(scope)) starts the daemon (\(units.socket.name))")
        ]
    }

    /// Returns the finding if URLs are answered although the units do not run.
    private static func bypass(
        _ name: String, _ text: String, _ daemon: Client.Status.Service, _ mend: Finding.Mend?
    ) -> Finding {
        let canEnd = geteuid() == 0 || daemon.userID == geteuid() || mend?.needsRoot == true
        return Finding(
            .note, of: name, text,
            mend: mend.flatMap { mend in
                canEnd
                    ? Finding.Mend(
                        command: "kill \(daemon.processID) && \(mend.command)", needsRoot: mend.needsRoot) : nil
            },
            advice: "process \(daemon.processID) answers, which was not started by the service manager")
    }

    /// Returns the finding without a service manager for users.
    private static func start() -> Finding {
        if let entry = try? AutostartEntry(), entry.exists {
            return Finding(.good, of: entry.path, "your session starts the daemon (\(entry.path))")
        }
        return Finding(
            .note, of: "session", "nothing starts the daemon with your session: there is no service manager for users",
            mend: Finding.Mend(command: "xcallback register --all"))
    }

    private static func unasked(_ scope: ManagerScope) -> Finding {
        Finding(
            .skipped, of: ManagerScope.socketUnit,
            "units were not checked: \(owner(scope)) \(scope.isRunning ? "does not answer" : "is not running")")
    }

    private static func owner(_ scope: ManagerScope) -> String {
        scope == .user ? "your service manager" : "the service manager"
    }

    /// Returns the problems that keep a unit from running.
    private static func problems(of unit: ManagedUnit) -> [String] {
        if unit.isMasked { return ["\(unit.name) is masked"] }
        if unit.isFailed, unit.isAtLimit { return ["\(unit.name) failed: it was started too often (\(unit.result))"] }
        if unit.isFailed {
            let status = unit.exitStatus == 0 ? "" : ", status \(unit.exitStatus)"
            return ["\(unit.name) failed (\(unit.result)\(status))"]
        }
        return unit.isOutdated ? ["the files of \(unit.name) changed after the service manager read them"] : []
    }

    /// Returns the advice to fix the cause of a failed service, with the command that shows it.
    private static func cause(_ service: ManagedUnit, _ scope: ManagerScope) -> String? {
        guard service.isFailed else { return nil }
        let journal = scope == .user ? "journalctl --user" : "journalctl"
        return "fix the cause first: '\(journal) --unit \(service.name)' shows it"
    }
}
