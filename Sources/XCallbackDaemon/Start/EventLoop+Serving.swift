import Glibc
package import Logging
package import XCallbackBuiltIns
package import XCallbackConfiguration
package import XCallbackEventLoop
package import XCallbackLinux
import XCallbackPipeline
package import XCallbackSystemd

/// What the service of a daemon is made of.
package struct ServiceParts: Sendable {
    let configuration: RouterConfiguration
    let loader: ConfigurationLoader
    let descriptorLimit: Int
    let notifier: Notifier
    let logger: Logger
    let isSystem: Bool
    let callStore: CallStore?
    let socketRemedy: SocketRemedy
    let outage: ConfigurationError?
    package let ending = DaemonEnding()

    /// Creates the parts of a service.
    ///
    /// - Parameters:
    ///   - configuration: What is served first.
    ///   - loader: What loads a configuration to put in its place.
    ///   - descriptorLimit: How many descriptors the process may have.
    ///   - notifier: Who is told of the service's life.
    ///   - logger: Where the service logs; its level becomes that of the configuration.
    ///   - isSystem: Whether it is the daemon of the system, which has no user's session around it.
    ///   - callStore: Where calls of other applications outlive the daemon; nil if they do not.
    ///   - socketRemedy: What helps if the file of the socket is lost.
    ///   - outage: The faults of the configuration, if something stands in for it.
    package init(
        configuration: RouterConfiguration, loader: ConfigurationLoader, descriptorLimit: Int, notifier: Notifier,
        logger: Logger, isSystem: Bool = false, callStore: CallStore? = nil,
        socketRemedy: SocketRemedy = .restart, outage: ConfigurationError? = nil
    ) {
        self.configuration = configuration
        self.loader = loader
        self.descriptorLimit = descriptorLimit
        self.notifier = notifier
        self.logger = logger
        self.isSystem = isSystem
        self.callStore = callStore
        self.socketRemedy = socketRemedy
        self.outage = outage
    }
}

extension EventLoop {
    /// The signals that stop the daemon, and the one that lets it read its configuration anew.
    static let lifeSignals = [SIGTERM, SIGINT, SIGHUP]

    /// Serves a configuration on a socket.
    ///
    /// - Parameters:
    ///   - parts: What the service is made of.
    ///   - listener: The socket.
    ///   - agentListener: The one for assistants; nil if there is none.
    ///   - signals: The signals that the service takes; every thread must block them.
    ///   - stopped: Called once when the loop has ended.
    /// - Throws: ``SystemError`` if the system is out of descriptors.
    package func serve(
        _ parts: ServiceParts, on listener: sending Listener, _ agentListener: sending Listener? = nil,
        signals: [Int32], stopped: @escaping @Sendable () -> Void
    ) throws(SystemError) {
        let service = RequestService(parts, at: listener.path, agentListener?.path, on: self)
        run(service, stopped: stopped)
        try watchSignals(signals)
        try listen(on: listener)
        if let agentListener { try listen(on: agentListener) }
        // On the loop, so that nothing can be told of the end before it.
        service.begin(on: self)
    }
}

extension Listener {
    /// Opens the socket of the daemon: the one that was passed, else the one at its place.
    convenience init(_ locations: Locations, passed: PassedSocket?) throws(ListenerError) {
        if let passed {
            try self.init(passed: passed.descriptor, at: passed.path)
        } else {
            try locations.makeSocketDirectory()
            try self.init(path: locations.socket, mode: locations.socketMode)
        }
    }

    /// Opens the socket for assistants, if there is to be one.
    static func forAgents(_ locations: Locations, passed: PassedSocket?) throws(ListenerError) -> Listener? {
        if let passed { return try Listener(passed: passed.descriptor, at: passed.path, for: .agent) }
        guard let path = locations.agentSocket else { return nil }
        try locations.makeDirectory(of: path)
        return try Listener(path: path, mode: 0o600, for: .agent)
    }
}
