/// The command that makes the units of a daemon ready for clients.
package struct UnitFix: Sendable {
    /// The command for a shell; nil if the units are ready as they are.
    package let command: String?

    /// Determines the command; nil if the manager does not know the units.
    ///
    /// - Parameters:
    ///   - service: The unit of the daemon.
    ///   - socket: The unit of the socket.
    ///   - scope: The manager of the units.
    ///   - isKept: Whether the socket must also be enabled at boot or with the session.
    package init?(service: ManagedUnit, socket: ManagedUnit, in scope: ManagerScope, isKept: Bool = false) {
        guard service.isKnown, socket.isKnown else { return nil }
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
