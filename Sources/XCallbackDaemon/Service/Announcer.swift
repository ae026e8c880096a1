import Logging
import XCallbackBuiltIns
import XCallbackConfiguration
import XCallbackEventLoop
import XCallbackLinux
import XCallbackRouter

/// The status of the daemon, in figures.
package struct ServiceStatus: Hashable, Sendable, CustomStringConvertible {
    /// The path of the socket.
    package let socket: String
    /// Whether the daemon is stopping.
    package var isStopping = false
    /// The number of routes in use.
    package var routeCount = 0
    /// The number of connected clients.
    package var connectionCount = 0
    /// The number of requests that wait for their handlers.
    package var waitingCount = 0
    /// The number of answered requests.
    package var answerCount = 0
    /// The number of answers that are errors.
    package var errorCount = 0
    /// The number of faults when the configuration was last loaded; in that case an earlier configuration is in use, or none.
    package var faultCount = 0
    /// The files that are not served because they had faults at the start, in a few words; nil if there are none.
    package var unserved: String?

    /// Creates the status of a daemon that has just started.
    package init(socket: String) {
        self.socket = socket
    }

    /// The status in one line for people.
    package var description: String {
        if isStopping {
            return "Stopping; \(counted(connectionCount, "connection")), \(counted(waitingCount, "request")) waiting"
        }
        let unserved = unserved.map { "\($0); " } ?? ""
        let failure =
            faultCount > 0 && self.unserved == nil ? "; not reloaded: \(counted(faultCount, "fault")), see the log" : ""
        return
            "\(unserved)Serving \(counted(routeCount, "route")) on \(socket), \(counted(connectionCount, "connection")), "
            + "\(counted(answerCount, "request")), \(counted(errorCount, "error"))\(failure)"
    }
}

/// Returns a number with its noun.
private func counted(_ number: Int, _ noun: String) -> String { number == 1 ? "1 \(noun)" : "\(number) \(noun)s" }

/// Reports the daemon's lifecycle to the service manager and the log.
struct Announcer {
    /// The maximum number of changed routes that the log names after a reload.
    private static let changeLimit = 100
    /// The delay before the status shows a change, and the minimum time between two status reports.
    private static let statusDelay = Duration.seconds(1)
    private static let statusPause = Duration.seconds(10)
    /// The interval at which a stopping daemon asks the manager for more time.
    static let extensionTime = Duration.seconds(5)

    private let notifier: Notifier
    private let log: ServiceLog
    /// What the next status report shows, if one is planned, or what the last one showed: requests and connections.
    private var activity = (answers: 0, connections: 0)
    private var isReportPlanned = false
    private var nextReportTime = Duration.zero

    init(_ notifier: Notifier, _ log: ServiceLog) {
        self.notifier = notifier
        self.log = log
    }

    /// The interval between watchdog notifications, half of what the manager requires; nil without a watchdog.
    ///
    /// It is at least a millisecond, so that there is time for requests.
    var watchdogPause: Duration? { notifier.manager.watchdogInterval.map { max($0 / 2, .milliseconds(1)) } }

    /// Reports that the daemon answers requests: to the manager first, because units ordered after this one wait for it.
    func ready(_ status: ServiceStatus, agentSocket: String?) {
        notifyReady(status)
        var metadata: Logger.Metadata = ["socket": "\(status.socket)", "routes": "\(status.routeCount)"]
        metadata["agent.socket"] = agentSocket.map { "\($0)" }
        log.logger.info("ready", metadata: metadata)
    }

    /// Reports that files are not served, in a service also to the user: at a login, nobody reads the log.
    func reportUnserved(_ unserved: UnservedDropIns, isOfSystem: Bool) {
        log.logger.error(
            "not all files are served: requests for their schemes get error 503 until a reload",
            metadata: ["files": "\(unserved.summary)", "faults": "\(unserved.error.count)"])
        guard !isOfSystem, notifier.manager.isPresent else { return }
        let words = ["notify-send", "--app-name=xcallback", "xcallback", "\(unserved.summary): run 'xcallback check'"]
        // Without a thread, the log has it.
        try? WorkQueue().async { _ = ToolRun(asking: words, limit: .seconds(5)) }
    }

    /// Reports that a reload has started.
    func reloading() {
        notifier.notify { manager throws(SystemError) in
            try manager.notifyReloading(status: "Reloading the configuration")
        }
    }

    /// Reports that a new configuration is in use, and what changed.
    func reloaded(_ difference: RouteDifference, _ status: ServiceStatus) {
        var metadata: Logger.Metadata = [
            "routes": "\(status.routeCount)", "routes.added": "\(difference.count(.added))",
            "routes.removed": "\(difference.count(.removed))", "routes.changed": "\(difference.count(.changed))",
        ]
        if !difference.settings.isEmpty {
            metadata["settings.changed"] = "\(difference.settings.joined(separator: ","))"
        }
        log.logger.info("reloaded", metadata: metadata)
        for change in difference.changes.prefix(Self.changeLimit) {
            log.logger.info(
                change.kind.sentence,
                metadata: ["route.pattern": "\(change.route.name)", "route.place": "\(change.route.place)"])
        }
        let rest = difference.changes.count - Self.changeLimit
        if rest > 0 { log.logger.info("more routes changed", metadata: ["routes": "\(rest)"]) }
        notifyReady(status)
    }

    /// Reports that a configuration has faults and that the previous one stays in use.
    func reloadFailed(_ status: ServiceStatus) {
        log.logger.error(
            "not reloaded: the configuration has faults; the previous one stays active",
            metadata: ["faults": "\(status.faultCount)"])
        notifyReady(status)
    }

    /// Returns the delay until a status report after a change; nil if none is needed.
    @inline(__always)
    mutating func planReport(of activity: (answers: Int, connections: Int), at now: Duration) -> Duration? {
        guard !isReportPlanned, activity != self.activity, notifier.manager.isPresent else { return nil }
        isReportPlanned = true
        return max(Self.statusDelay, nextReportTime - now)
    }

    /// Reports the daemon's status, unless it stops.
    mutating func report(_ status: ServiceStatus, at now: Duration) {
        isReportPlanned = false
        activity = (status.answerCount, status.connectionCount)
        if status.isStopping { return }
        nextReportTime = now + Self.statusPause
        notifier.notify(.sign) { manager throws(SystemError) in try manager.notifyStatus("\(status)") }
    }

    /// Notifies the watchdog that the loop is running.
    func pingWatchdog() {
        notifier.notify(.sign) { manager throws(SystemError) in try manager.notifyWatchdog() }
    }

    /// Reports that the daemon completes the requests in progress and then stops.
    func stopping(_ status: ServiceStatus) {
        notifier.notify { manager throws(SystemError) in try manager.notifyStopping(status: "\(status)") }
        log.logger.info(
            "stopping",
            metadata: [
                "requests.waiting": "\(status.waitingCount)", "requests.answered": "\(status.answerCount)",
                "requests.failed": "\(status.errorCount)",
            ])
    }

    /// Asks for more time to stop.
    func finishing(_ status: ServiceStatus) {
        notifier.notify(.sign) { manager throws(SystemError) in
            try manager.extendTimeout(by: Self.extensionTime * 3)
            try manager.notifyStatus("\(status)")
        }
    }

    /// Reports that the daemon is ready, at first or again after a reload.
    func notifyReady(_ status: ServiceStatus) {
        notifier.notify { manager throws(SystemError) in try manager.notifyReady(status: "\(status)") }
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
