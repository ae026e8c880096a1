import Glibc
package import Logging
package import XCallbackBuiltIns
package import XCallbackEventLoop
package import XCallbackSystemd

/// What the service of a daemon is made of.
package struct ServiceParts: Sendable {
    let configuration: RouterConfiguration
    let descriptorLimit: Int
    let announcer: Announcer
    let logger: Logger

    /// Creates the parts of a service.
    ///
    /// - Parameters:
    ///   - configuration: What is served.
    ///   - descriptorLimit: How many descriptors the process may have.
    ///   - manager: Who is told of the service's life.
    ///   - logger: Where the service logs.
    package init(
        configuration: RouterConfiguration, descriptorLimit: Int, manager: ServiceManager, logger: Logger
    ) {
        self.configuration = configuration
        self.descriptorLimit = descriptorLimit
        self.logger = logger
        announcer = Announcer(manager: manager, logger: logger)
    }
}

extension EventLoop {
    /// The signals that stop the daemon.
    static let stopSignals = [SIGTERM, SIGINT, SIGHUP]

    /// Serves a configuration on a socket.
    ///
    /// - Parameters:
    ///   - parts: What the service is made of.
    ///   - listener: The socket.
    ///   - path: The path of the socket, for people.
    ///   - signals: The signals that stop the service; every thread must block them.
    ///   - stopped: Called once when the loop has ended.
    /// - Throws: ``SystemError`` if the system is out of descriptors.
    package func serve(
        _ parts: ServiceParts, on listener: consuming sending Listener, at path: String, signals: [Int32],
        stopped: @escaping @Sendable () -> Void
    ) throws(SystemError) {
        run({ _ in RequestService(parts) }, stopped: stopped)
        try watchSignals(signals)
        try listen(on: listener)
        // On the loop, so that nothing can be told of the end before it.
        parts.announcer.ready(socket: path, routeCount: parts.configuration.routeCount)
    }
}
