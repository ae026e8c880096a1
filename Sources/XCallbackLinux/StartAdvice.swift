import Glibc

/// How to get a daemon where none answers: by the service manager that has it, and by hand only where none does.
package struct StartAdvice: Sendable {
    /// The manager that has the daemon; nil if none does.
    package let scope: ManagerScope?
    private let byHand: String

    /// Chooses the manager.
    ///
    /// Of two that could start one, it is the one in which the socket is enabled, else the caller's own; root's own is
    /// that of the machine.
    ///
    /// - Parameters:
    ///   - sockets: Where the daemon was looked for.
    ///   - byHand: What to do where no manager has it.
    package init(for sockets: [String], byHand: String) {
        let scopes = sockets.compactMap { ManagerScope(socket: $0) }.filter { $0.isRunning && $0.hasUnit }
        let own: ManagerScope = geteuid() == 0 ? .system : .user
        scope = scopes.first(where: \.isEnabled) ?? scopes.first { $0 == own } ?? scopes.first
        self.byHand = byHand
    }

    /// The advice as far as files tell: whether a unit is masked or has failed is not among that.
    package var quickText: String { scope.map { text("\($0.systemctl) start \(ManagerScope.socketUnit)") } ?? byHand }

    /// The advice as the manager sees the units; it is asked, which takes some milliseconds.
    package var text: String {
        guard let scope else { return byHand }
        guard let units = scope.units([ManagerScope.serviceUnit, ManagerScope.socketUnit]) else { return quickText }
        let mend = UnitMend(service: units[0], socket: units[1], in: scope)
        if mend.isUnknown { return byHand }
        return text(mend.command ?? "\(scope.systemctl) restart \(ManagerScope.socketUnit)")
    }

    private func text(_ command: String) -> String {
        "start it\(scope?.needsRoot == true ? " as root" : ""): run '\(command)'"
    }
}
