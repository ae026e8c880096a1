import Glibc
package import XCallbackLinux

/// The advice to start a daemon that cannot be reached: through its service manager, or by hand if there is none.
package struct StartAdvice: Sendable {
    /// The manager that has a unit for the daemon; nil if there is none.
    package let scope: ManagerScope?
    /// What may keep the caller from a user's daemon, on a line of its own; empty if nothing does.
    package let note: String
    private let byHand: String

    /// Chooses the manager.
    ///
    /// The system's manager does not count while nobody has set up its daemon. If both managers could start the daemon, the one
    /// with the enabled socket is chosen, otherwise the caller's own; root's own is that of the system.
    ///
    /// - Parameters:
    ///   - sockets: The paths at which the daemon was expected.
    ///   - byHand: The advice if there is no manager.
    package init(for sockets: [String], byHand: String) {
        let scopes = sockets.compactMap { ManagerScope(socket: $0) }.filter { $0.isRunning && $0.hasUnit && $0.isSetUp }
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

/// The command that makes the units of a daemon ready for clients.
package struct UnitFix: Sendable {
    /// The command for a shell; nil if the units are ready as they are.
    package let command: String?

    /// Determines the command; nil if the manager does not know the units, or if the user cannot make them ready.
    ///
    /// - Parameters:
    ///   - service: The unit of the daemon.
    ///   - socket: The unit of the socket.
    ///   - scope: The manager of the units.
    ///   - isKept: Whether the socket must also be enabled at boot or with the session.
    package init?(service: ManagedUnit, socket: ManagedUnit, in scope: ManagerScope, isKept: Bool = false) {
        guard service.isKnown, socket.isKnown, !service.isMaskedForAll, !socket.isMaskedForAll else { return nil }
        var commands: [[String]] = []
        let units = [service, socket]
        func add(_ verb: String, _ units: [ManagedUnit]) {
            if !units.isEmpty { commands.append([scope.systemctl, verb] + units.map(\.name)) }
        }
        add("unmask", units.filter { $0.isMasked && !$0.isMaskedAtRuntime })
        add("unmask --runtime", units.filter { $0.isMasked && $0.isMaskedAtRuntime })
        if units.contains(where: \.isOutdated) { commands.append([scope.systemctl, "daemon-reload"]) }
        add("reset-failed", units.filter(\.isFailed))
        // A masked unit does not show whether it is enabled.
        if isKept, !socket.isEnabled, !socket.isMasked {
            add("enable --now", [socket])
        } else if !socket.isActive || socket.isMasked {
            add("start", [socket])
        }
        command = commands.isEmpty ? nil : commands.map { $0.joined(separator: " ") }.joined(separator: " && ")
    }
}
