import Glibc
import XCallbackBuiltIns
import XCallbackConfiguration
import XCallbackEventLoop
import XCallbackJSON
import XCallbackURL
import XCallbackVarlink

extension ServiceDeadline {
    /// A daemon without a configuration has waited long enough for clients.
    static let outage = Self(rawValue: 4)
}

/// A daemon that clients have started while its configuration had faults.
///
/// It tells each client so, as one that ended at once would leave them waiting: the service manager would start it
/// again and again for the same clients, and give up on the socket. It looks at the configuration anew for each client,
/// so that the first one after the faults were mended is served.
extension RequestService {
    /// How long nobody has connected when the daemon gives up; ten starts in a minute would be too many for the manager.
    private static let outagePatience = Duration.seconds(10)
    /// How long the daemon stays at most, as whoever has it started waits for that.
    private static let outageLimit = Duration.seconds(60)

    /// Tells that the daemon runs, and why it serves nothing.
    func beginOutage(on loop: isolated EventLoop) {
        outageEnd = loop.now + Self.outageLimit
        announcer.out(status(on: loop))
        waitForClients(on: loop)
    }

    /// Looks at the configuration for a client that has just connected, and serves it if its faults were mended.
    func lookForConfiguration(on loop: isolated EventLoop) {
        guard let outage, !life.isStopping, !life.isReloading else { return }
        waitForClients(on: loop)
        var documents: ConfigurationDocuments?
        // The loop has nothing else to do meanwhile.
        switch loader.load(keeping: &documents, unless: outage) {
        case .success(let new): endOutage(with: new, on: loop)
        case .failure(let error): continueOutage(error, on: loop)
        }
    }

    /// Tells clients of other faults from now on.
    func continueOutage(_ error: ConfigurationError, on loop: isolated EventLoop) {
        outage = error
        faultCount = error.count
        replaceConfiguration(with: RouterConfiguration(standingInFor: error), on: loop)
    }

    /// Serves the first configuration without faults.
    func endOutage(with configuration: RouterConfiguration, on loop: isolated EventLoop) {
        outage = nil
        faultCount = 0
        loop.setDeadline(.outage, after: nil)
        replaceConfiguration(with: configuration, on: loop)
        announcer.ready(status(on: loop))
    }

    /// Gives up if nobody is connected any more, or it has taken long enough.
    func endOutagePatience(on loop: isolated EventLoop) {
        guard outage != nil, !life.isStopping else { return }
        guard loop.connectionCount == 0 || loop.now >= outageEnd else { return waitForClients(on: loop) }
        ending.lacksConfiguration = true
        receive(signal: SIGTERM, on: loop)
    }

    private func waitForClients(on loop: isolated EventLoop) {
        announcer.starting(within: Self.outagePatience * 3)
        loop.setDeadline(.outage, after: max(min(Self.outagePatience, outageEnd - loop.now), .zero))
    }
}

extension VarlinkError {
    /// The daemon serves nothing, as its configuration has faults.
    static func unavailable(because faults: ConfigurationError) -> Self {
        Self("\(RouterInterface.name).Unavailable", [.init("message", .string(CallbackError(faults).message))])
    }
}
