import XCallbackLinux

/// The unit of the daemon's socket in the user's service manager.
struct UserUnit {
    /// The state of the unit.
    enum State: Hashable {
        /// There is no service manager of the user.
        case unmanaged
        /// The unit does not exist.
        case unknown
        /// The unit is masked, so that nothing can start it.
        case masked
        /// The unit exists, and is enabled or not.
        case known(isEnabled: Bool)
    }

    static let name = ManagerScope.socketUnit
    /// The timeout of a start or stop.
    private static let patience = Duration.seconds(60)

    /// The current state.
    static var state: State {
        guard let unit = ManagerScope.user.units([name])?.first else { return .unmanaged }
        return unit.isMasked ? .masked : unit.isLoaded ? .known(isEnabled: unit.isEnabled) : .unknown
    }

    /// Enables the unit for the user's session, and starts it.
    ///
    /// - Throws: ``Failure`` if the service manager fails.
    static func enable() throws(Failure) { try run("enable", "--now", name) }

    /// Disables the unit, and stops it.
    ///
    /// - Throws: ``Failure`` if the service manager fails.
    static func disable() throws(Failure) { try run("disable", "--now", name) }

    /// Starts the unit, without enabling it.
    ///
    /// - Throws: ``Failure`` if the service manager fails.
    static func start() throws(Failure) { try run("start", name) }

    /// Stops the unit and the daemon, without disabling it.
    ///
    /// - Throws: ``Failure`` if the service manager fails.
    static func stop() throws(Failure) { try run("stop", name) }

    /// Stops the daemon, but not its socket.
    ///
    /// - Throws: ``Failure`` if the service manager fails.
    static func stopDaemon() throws(Failure) { try run("stop", ManagerScope.serviceUnit) }

    private static func run(_ arguments: String...) throws(Failure) {
        let words = ["systemctl", "--user", "--quiet"] + arguments
        let reason: String
        switch ToolRun(starting: words, limit: patience).ending {
        case .exited(0): return
        case .exited(let status): reason = "exit status \(status)"
        case .running: reason = "it took more than a minute"
        case .notStarted(let cause): reason = cause
        }
        throw Failure(
            .errorAnswer,
            "'\(words.joined(separator: " "))' failed: \(reason)\nsee 'systemctl --user status \(name)'")
    }
}
