import Glibc
import Logging
import XCallbackBuiltIns
import XCallbackEventLoop

/// What the service of a daemon is made of.
struct ServiceParts: Sendable {
    let configuration: RouterConfiguration
    let descriptorLimit: Int
    let announcer: Announcer
    let logger: Logger
}

extension EventLoop {
    /// The signals that stop the daemon.
    static let stopSignals = [SIGTERM, SIGINT, SIGHUP]

    /// Serves a configuration on a socket.
    func serve(
        _ parts: ServiceParts, on listener: consuming sending Listener, at path: String,
        stopped: @escaping @Sendable () -> Void
    ) throws(SystemError) {
        run({ _ in RequestService(parts) }, stopped: stopped)
        try watchSignals(Self.stopSignals)
        try listen(on: listener)
        // On the loop, so that nothing can be told of the end before it.
        parts.announcer.ready(socket: path, routeCount: parts.configuration.routeCount)
    }
}
