import Glibc
import XCallbackBuiltIns
import XCallbackConfiguration
import XCallbackEventLoop
import XCallbackURL
import XCallbackWire

extension ServiceDeadline {
    /// A daemon without a configuration has waited long enough for clients.
    static let outage = Self(rawValue: 4)
}

/// A daemon that was started by socket activation while its configuration has faults.
///
/// It reports the faults to each client. If it exited at once, the service manager would restart it again and again for
/// the same waiting clients and finally disable the socket. It loads the configuration again for each client, so that
/// the first client after the faults are fixed is served.
extension RequestService {
    /// How long the daemon waits without clients; ten starts a minute would exceed the manager's start limit.
    private static let outagePatience = Duration.seconds(10)
    /// The maximum time of an outage, because the program that started the daemon waits for it.
    private static let outageLimit = Duration.seconds(60)

    /// Reports that the daemon runs, and why it serves nothing.
    func beginOutage(on loop: isolated EventLoop) {
        outageEnd = loop.now + Self.outageLimit
        announcer.out(status(on: loop))
        waitForClients(on: loop)
    }

    /// Loads the configuration when a client connects, and serves it if its faults are fixed.
    func lookForConfiguration(on loop: isolated EventLoop) {
        guard let outage, !life.isStopping, !life.isReloading else { return }
        waitForClients(on: loop)
        var documents: ConfigurationDocuments?
        // The loop has no other work in the meantime.
        switch loader.load(keeping: &documents, unless: outage) {
        case .success(let new): endOutage(with: new, on: loop)
        case .failure(let error): continueOutage(error, on: loop)
        }
    }

    /// Reports the new faults to clients from now on.
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

    /// Stops the daemon if no client is connected, or if the outage has reached its time limit.
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
    /// The daemon serves nothing, because its configuration has faults.
    static func unavailable(because faults: ConfigurationError) -> Self {
        Self("\(RouterInterface.name).Unavailable", [.init("message", .string(CallbackError(faults).message))])
    }
}
