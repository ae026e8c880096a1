import XCallbackLinux

/// The unit of the daemon's socket in the service manager of the user.
struct UserUnit {
    /// What the service manager knows.
    enum State: Hashable {
        /// No service manager of the user can be asked.
        case unmanaged
        /// There is one, which does not know the unit.
        case unknown
        /// The unit is masked, so that nothing can start it.
        case masked
        /// It knows the unit, and whether that is enabled.
        case known(isEnabled: Bool)
    }

    static let name = ManagerScope.socketUnit
    /// How long the service manager may take to start or to stop it.
    private static let patience = Duration.seconds(60)

    /// Asks the service manager.
    static var state: State {
        guard let unit = ManagerScope.user.units([name])?.first else { return .unmanaged }
        return unit.isMasked ? .masked : unit.isLoaded ? .known(isEnabled: unit.isEnabled) : .unknown
    }

    /// Lets it start with the user's session, and starts it.
    ///
    /// - Throws: ``Failure`` if the service manager does not.
    static func enable() throws(Failure) { try run("enable", "--now", name) }

    /// Takes that back, and stops it.
    ///
    /// - Throws: ``Failure`` if the service manager does not.
    static func disable() throws(Failure) { try run("disable", "--now", name) }

    /// Starts it now; what is enabled stays as it is.
    ///
    /// - Throws: ``Failure`` if the service manager does not.
    static func start() throws(Failure) { try run("start", name) }

    /// Stops it, and the daemon with it; what is enabled stays as it is.
    ///
    /// - Throws: ``Failure`` if the service manager does not.
    static func stop() throws(Failure) { try run("stop", name) }

    /// Stops the daemon; the socket stays as it is.
    ///
    /// - Throws: ``Failure`` if the service manager does not.
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
