import Logging
import XCallbackBuiltIns
import XCallbackEventLoop
import XCallbackPipeline
import XCallbackSystemd

/// Tells the service manager and the log of the daemon's life.
struct Announcer: Sendable {
    /// How many of the routes that a reload has changed the log names.
    private static let changeLimit = 100
    /// Within this time the manager hears again of a daemon that takes its time to stop.
    static let extensionTime = Duration.seconds(5)

    let notifier: Notifier
    var logger: Logger

    /// How often the manager wants a sign of life, and half of that at the latest; nil if it does not.
    ///
    /// It is no less than a millisecond, so that there is time for requests.
    var watchdogPause: Duration? { notifier.manager.watchdogInterval.map { max($0 / 2, .milliseconds(1)) } }

    /// Tells that requests are answered from now on: first the manager, as what is to start next waits for that.
    func ready(_ status: ServiceStatus) {
        notifier.tell { manager throws(ServiceManagerError) in try manager.notifyReady(status: "\(status)") }
        var metadata: Logger.Metadata = ["socket": "\(status.socket)", "routes": "\(status.routeCount)"]
        metadata["agent.socket"] = status.agentSocket.map { "\($0)" }
        logger.info("ready", metadata: metadata)
    }

    /// Tells that the daemon runs to say that it cannot serve: it does not become ready.
    func out(_ status: ServiceStatus) {
        notifier.tell { manager throws(ServiceManagerError) in try manager.notifyStatus("\(status)") }
        logger.error(
            "not serving: the configuration has faults; clients get error 503",
            metadata: ["socket": "\(status.socket)", "faults": "\(status.faultCount)"])
    }

    /// Asks for more time to become ready.
    func starting(within time: Duration) {
        notifier.tell(.sign) { manager throws(ServiceManagerError) in try manager.extendTimeout(by: time) }
    }

    /// Tells that the configuration is read anew.
    func reloading() {
        notifier.tell { manager throws(ServiceManagerError) in
            try manager.notifyReloading(status: "Reloading the configuration")
        }
    }

    /// Tells that another configuration is served, and what is different in it.
    func reloaded(_ difference: RouteDifference, _ status: ServiceStatus) {
        let settings: Logger.Metadata =
            difference.settings.isEmpty ? [:] : ["settings.changed": "\(difference.settings.joined(separator: ","))"]
        logger.info(
            "reloaded",
            metadata: [
                "routes": "\(status.routeCount)", "routes.added": "\(difference.count(.added))",
                "routes.removed": "\(difference.count(.removed))", "routes.changed": "\(difference.count(.changed))",
            ].merging(settings) { first, _ in first })
        for change in difference.changes.prefix(Self.changeLimit) {
            logger.info(
                change.kind.sentence,
                metadata: ["route.pattern": "\(change.route.name)", "route.place": "\(change.route.place)"])
        }
        let rest = difference.changes.count - Self.changeLimit
        if rest > 0 { logger.info("more routes changed", metadata: ["routes": "\(rest)"]) }
        tellReady(status)
    }

    /// Tells that a configuration has faults, and that the one before is served as before.
    func reloadFailed(_ status: ServiceStatus) {
        if status.isOut { return out(status) }
        logger.error(
            "not reloaded: the configuration has faults; the previous one stays active",
            metadata: ["faults": "\(status.faultCount)"])
        tellReady(status)
    }

    /// Tells how the daemon does.
    func report(_ status: ServiceStatus) {
        notifier.tell(.sign) { manager throws(ServiceManagerError) in try manager.notifyStatus("\(status)") }
    }

    /// Tells what the path of a socket leads to, and what helps if that is not the socket.
    func moved(to place: SocketPlace, _ socket: String, _ status: ServiceStatus, remedy: String) {
        let metadata: Logger.Metadata = ["socket": "\(socket)", "remedy": "\(remedy)"]
        switch place {
        case .present: logger.info("clients can connect again", metadata: ["socket": "\(socket)"])
        case .gone: logger.error("clients cannot connect: the socket file is gone", metadata: metadata)
        case .taken: logger.error("clients cannot connect: another file is at the socket path", metadata: metadata)
        }
        notifier.tell { manager throws(ServiceManagerError) in try manager.notifyStatus("\(status)") }
    }

    /// Tells that the loop lives.
    func live() {
        notifier.tell(.sign) { manager throws(ServiceManagerError) in try manager.notifyWatchdog() }
    }

    /// Tells that the daemon finishes what it has begun.
    func stopping(_ status: ServiceStatus) {
        notifier.tell { manager throws(ServiceManagerError) in try manager.notifyStopping(status: "\(status)") }
        logger.info(
            "stopping",
            metadata: [
                "requests.waiting": "\(status.waitingCount)", "requests.answered": "\(status.answerCount)",
                "requests.failed": "\(status.errorCount)",
            ])
    }

    /// Asks for more time to finish it.
    func finishing(_ status: ServiceStatus) {
        notifier.tell(.sign) { manager throws(ServiceManagerError) in
            try manager.extendTimeout(by: Self.extensionTime * 3)
            try manager.notifyStatus("\(status)")
        }
    }

    private func tellReady(_ status: ServiceStatus) {
        notifier.tell { manager throws(ServiceManagerError) in try manager.notifyReady(status: "\(status)") }
    }
}

extension RouteDifference.Change.Kind {
    /// What the log says of it.
    fileprivate var sentence: Logger.Message {
        switch self {
        case .added: "route added"
        case .removed: "route removed"
        case .changed: "route changed"
        }
    }
}
