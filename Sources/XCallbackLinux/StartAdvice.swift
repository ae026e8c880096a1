import Glibc

/// The advice to start a daemon that cannot be reached: through its service manager, or by hand if there is none.
package struct StartAdvice: Sendable {
    /// The manager that has a unit for the daemon; nil if there is none.
    package let scope: ManagerScope?
    /// What may keep the caller from a user's daemon, on a line of its own; empty if nothing does.
    package let note: String
    private let byHand: String

    /// Chooses the manager.
    ///
    /// If both managers could start the daemon, the one with the enabled socket is chosen, otherwise the caller's own; root's
    /// own is that of the system.
    ///
    /// - Parameters:
    ///   - sockets: The paths at which the daemon was expected.
    ///   - byHand: The advice if there is no manager.
    package init(for sockets: [String], byHand: String) {
        let scopes = sockets.compactMap { ManagerScope(socket: $0) }.filter { $0.isRunning && $0.hasUnit }
        let own: ManagerScope = geteuid() == 0 ? .system : .user
        scope = scopes.first(where: \.isEnabled) ?? scopes.first { $0 == own } ?? scopes.first
        note = sockets.count == 1 ? "" : sessionNote().map { "\n\($0)" } ?? ""
        self.byHand = byHand + note
    }

    /// The advice based on files only, which does not include masked or failed units.
    package var quickText: String { scope.map { text("\($0.systemctl) start \(ManagerScope.socketUnit)") } ?? byHand }

    /// The advice based on the manager's state of the units; the query takes some milliseconds.
    package var text: String {
        guard let scope else { return byHand }
        guard let units = scope.units([ManagerScope.serviceUnit, ManagerScope.socketUnit]) else { return quickText }
        guard let fix = UnitFix(service: units[0], socket: units[1], in: scope) else { return byHand }
        return text(fix.command ?? "\(scope.systemctl) restart \(ManagerScope.socketUnit)")
    }

    private func text(_ command: String) -> String {
        "start it\(scope?.needsRoot == true ? " as root" : ""): run '\(command)'\(note)"
    }
}
