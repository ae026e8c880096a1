import Logging
import XCallbackBuiltIns
import XCallbackEventLoop
import XCallbackPipeline
import XCallbackSystemd

/// Reports the daemon's lifecycle to the service manager and the log.
struct Announcer: Sendable {
    /// The maximum number of changed routes that the log names after a reload.
    private static let changeLimit = 100
    /// The delay before the status shows a change, and the minimum time between two status reports.
    private static let statusDelay = Duration.seconds(1)
    private static let statusPause = Duration.seconds(10)
    /// The interval at which a stopping daemon asks the manager for more time.
    static let extensionTime = Duration.seconds(5)

    private let notifier: Notifier
    var logger: Logger
    /// Whether a status report is scheduled, or not needed.
    private var isReportPlanned: Bool
    private var nextReportTime = Duration.zero

    init(_ notifier: Notifier, _ logger: Logger) {
        self.notifier = notifier
        self.logger = logger
        isReportPlanned = !notifier.manager.isPresent
    }

    /// The interval between watchdog notifications, half of what the manager requires; nil without a watchdog.
    ///
    /// It is at least a millisecond, so that there is time for requests.
    var watchdogPause: Duration? { notifier.manager.watchdogInterval.map { max($0 / 2, .milliseconds(1)) } }

    /// Reports that the daemon answers requests: to the manager first, because units ordered after this one wait for it.
    func ready(_ status: ServiceStatus) {
        notifyReady(status)
        var metadata: Logger.Metadata = ["socket": "\(status.socket)", "routes": "\(status.routeCount)"]
        metadata["agent.socket"] = status.agentSocket.map { "\($0)" }
        logger.info("ready", metadata: metadata)
    }

    /// Reports that the daemon answers every request with an error; it is ready, because only a reload can help.
    func reportOutage(_ status: ServiceStatus) {
        notifyReady(status)
        logger.error(
            "not serving: the configuration has faults; clients get error 503 until a reload",
            metadata: ["socket": "\(status.socket)", "faults": "\(status.faultCount)"])
    }

    /// Reports that a reload has started.
    func reloading() {
        notifier.notify { manager throws(ServiceManagerError) in
            try manager.notifyReloading(status: "Reloading the configuration")
        }
    }

    /// Reports that a new configuration is in use, and what changed.
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
        notifyReady(status)
    }

    /// Reports that a configuration has faults and that the previous one stays in use.
    func reloadFailed(_ status: ServiceStatus) {
        if status.isOut { return reportOutage(status) }
        logger.error(
            "not reloaded: the configuration has faults; the previous one stays active",
            metadata: ["faults": "\(status.faultCount)"])
        notifyReady(status)
    }

    /// Returns the delay until a status report after a change; nil if none is needed.
    mutating func planReport(at now: Duration) -> Duration? {
        if isReportPlanned { return nil }
        isReportPlanned = true
        return max(Self.statusDelay, nextReportTime - now)
    }

    /// Reports the daemon's status, unless it stops.
    mutating func report(_ status: ServiceStatus, at now: Duration) {
        isReportPlanned = false
        if status.isStopping { return }
        nextReportTime = now + Self.statusPause
        notifier.notify(.sign) { manager throws(ServiceManagerError) in try manager.notifyStatus("\(status)") }
    }

    /// Notifies the watchdog that the loop is running.
    func pingWatchdog() {
        notifier.notify(.sign) { manager throws(ServiceManagerError) in try manager.notifyWatchdog() }
    }

    /// Reports that the daemon completes the requests in progress and then stops.
    func stopping(_ status: ServiceStatus) {
        notifier.notify { manager throws(ServiceManagerError) in try manager.notifyStopping(status: "\(status)") }
        logger.info(
            "stopping",
            metadata: [
                "requests.waiting": "\(status.waitingCount)", "requests.answered": "\(status.answerCount)",
                "requests.failed": "\(status.errorCount)",
            ])
    }

    /// Asks for more time to stop.
    func finishing(_ status: ServiceStatus) {
        notifier.notify(.sign) { manager throws(ServiceManagerError) in
            try manager.extendTimeout(by: Self.extensionTime * 3)
            try manager.notifyStatus("\(status)")
        }
    }

    /// Reports that the daemon is ready, at first or again after a reload.
    func notifyReady(_ status: ServiceStatus) {
        notifier.notify { manager throws(ServiceManagerError) in try manager.notifyReady(status: "\(status)") }
    }
}

extension RouteDifference.Change.Kind {
    /// The log message for this place.
    fileprivate var sentence: Logger.Message {
        switch self {
        case .added: "route added"
        case .removed: "route removed"
        case .changed: "route changed"
        }
    }
}
