import CLinux
import Glibc
package import Logging
package import XCallbackBuiltIns
import XCallbackConfiguration
package import XCallbackEventLoop
package import XCallbackLinux
import XCallbackRouter

/// The parts of a daemon's service.
package struct ServiceParts: Sendable {
    let configuration: RouterConfiguration
    let loader: ConfigurationLoader
    let descriptorLimit: Int
    let notifier: Notifier
    let logger: Logger
    let isSystem: Bool
    let history: HistoryWriter?
    package let ending = DaemonEnding()

    /// Creates the parts of a service.
    ///
    /// - Parameters:
    ///   - configuration: The first configuration.
    ///   - loader: Loads a replacement for the configuration.
    ///   - descriptorLimit: The maximum number of open descriptors.
    ///   - notifier: Notifies the service manager of the service's lifecycle.
    ///   - logger: The logger of the service; its level is set to that of the configuration.
    ///   - isSystem: Whether this is the system's daemon, which does not run in a user's session.
    ///   - history: Keeps what ran; nil without a history.
    package init(
        configuration: RouterConfiguration, loader: ConfigurationLoader, descriptorLimit: Int, notifier: Notifier,
        logger: Logger, isSystem: Bool = false, history: HistoryWriter? = nil
    ) {
        self.configuration = configuration
        self.loader = loader
        self.descriptorLimit = descriptorLimit
        self.notifier = notifier
        self.logger = logger
        self.isSystem = isSystem
        self.history = history
    }
}

extension EventLoop {
    /// Serves a configuration on a socket.
    ///
    /// - Parameters:
    ///   - parts: The parts of the service.
    ///   - listener: The socket.
    ///   - agentListener: The socket for assistants; nil without one.
    ///   - signals: The signals that the service handles; all threads must block them.
    /// - Throws: ``SystemError`` if the system is out of descriptors.
    package func serve(
        _ parts: ServiceParts, on listener: sending Listener, _ agentListener: sending Listener? = nil,
        signals: [Int32]
    ) throws(SystemError) {
        let service = RequestService(parts, at: listener.path, agentListener?.path, on: self)
        setService(service)
        try watchSignals(signals)
        try listen(on: listener)
        if let agentListener { try listen(on: agentListener) }
        // On the loop, so that no event can be reported before the start.
        service.begin(on: self)
    }
}

extension Listener {
    /// Opens the socket of the daemon: the passed socket, or the one at its path.
    convenience init(_ locations: Locations, passed: PassedSocket?) throws(ListenerError) {
        if let passed {
            try self.init(passed: passed.descriptor, at: passed.path)
        } else {
            try locations.makeSocketDirectory()
            try self.init(path: locations.socket, mode: locations.socketMode)
        }
    }

    /// Opens the socket for assistants, if configured.
    static func forAgents(_ locations: Locations, passed: PassedSocket?) throws(ListenerError) -> Listener? {
        if let passed { return try Listener(passed: passed.descriptor, at: passed.path, for: .agent) }
        guard let path = locations.agentSocket else { return nil }
        try locations.makeDirectory(of: path)
        return try Listener(path: path, mode: 0o600, for: .agent)
    }
}

/// The maximum number of open descriptors.
enum DescriptorLimit {
    /// The number of descriptors that clients never get: those for the loop, for reading files, and for programs.
    static let spare = 32

    /// Raises the limit as far as the system allows.
    ///
    /// - Returns: The new limit.
    static func raise() -> Int {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 1024 }
        if limit.rlim_cur < limit.rlim_max {
            var raised = limit
            raised.rlim_cur = limit.rlim_max
            if setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &raised) == 0 { limit = raised }
        }
        return Int(clamping: limit.rlim_cur)
    }
}
