import CLinux
import Glibc
import Logging
import Synchronization
import XCallbackBuiltIns
import XCallbackConfiguration
import XCallbackEventLoop
import XCallbackLinux
import XCallbackPrograms
import XCallbackRouter
import XCallbackURL
import XCallbackWire

/// The service of a daemon: its parts, and the events of the loop that concern several of them; lives on the event loop.
///
/// Each session has the service, and uses its parts.
final class RequestService: LoopService {
    /// Where the daemon serves.
    let site: ServiceSite
    let served: ServedConfiguration
    /// Answers the requests.
    let processor: RequestProcessor
    let streams: ClientStreams
    /// The clients' queries about the configuration.
    let inspections = Inspections()
    let log: ServiceLog
    private(set) var life = LifeCycle()
    private var announcer: Announcer
    let startTime: Duration
    private(set) var connectionCounts = (all: 0, refused: 0)
    /// The clients that got no answer because the daemon stopped, and their users.
    private var lostClients: [ConnectionID: UInt32] = [:]
    private let ending: DaemonEnding
    /// The end of the time for the requests in progress, once the daemon stops.
    private var drainEnd: DelayedCall?
    /// Memory that is reused for each call of Varlink.
    var message = JSONDocument()

    /// Creates the service of a configuration.
    init(_ parts: ServiceParts, at socket: String, _ agentSocket: String? = nil, on loop: isolated EventLoop) {
        site = ServiceSite(
            socket: socket, agentSocket: agentSocket, isSystem: parts.isSystem, descriptorLimit: parts.descriptorLimit)
        served = ServedConfiguration(parts)
        log = ServiceLog(parts.logger)
        let host = DaemonHost(log, on: loop)
        processor = RequestProcessor(parts.configuration, host)
        processor.history = parts.history.map { History($0, parts.configuration.history, on: loop) }
        streams = ClientStreams(Receivers(socket: socket, host), processor, served, inspections)
        announcer = Announcer(parts.notifier, log)
        startTime = loop.now
        ending = parts.ending
        applyLimits(on: loop)
    }

    // MARK: - Connections

    func open(
        _ connection: ConnectionID, from credentials: Credentials, as kind: AccountClass, on loop: isolated EventLoop
    ) -> (any Session)? {
        let account = loop.account(of: credentials.userID, kind)
        do throws(Excess) {
            try account.take(.connections)
        } catch {
            connectionCounts.refused += 1
            log.refused(credentials, of: account, error, on: loop)
            return nil
        }
        connectionCounts.all += 1
        let client = ClientContext(
            id: connection, peer: Peer(credentials, connection), origin: kind == .agent ? .agent : .socket,
            service: self)
        return NewSession(client, account)
    }

    func acceptFailed(_ error: SystemError, on loop: isolated EventLoop) {
        log.acceptFailed(error, at: loop.now)
    }

    func backlogEnded(on loop: isolated EventLoop) {
        stopIfIdle(on: loop)
    }

    /// The sessions of all clients.
    private func sessions(on loop: isolated EventLoop) -> [ClientSession] {
        loop.sessions.compactMap { $0 as? ClientSession }
    }

    /// The sessions that a peer may see whose requests wait for their handlers; the longest wait comes first.
    func awaited(by peer: Peer, on loop: isolated EventLoop) -> [(session: ClientSession, json: JSONValue)] {
        sessions(on: loop).filter { peer.hasFullAccess || $0.peer.userID == peer.userID }
            .compactMap { session in session.awaited(at: loop.now).map { (session, $0) } }
            .sorted { $0.1.start < $1.1.start }.map { ($0, $1.json) }
    }

    func batchEnded(on loop: isolated EventLoop) {
        for (userID, refusals) in processor.host.calls.takeRefusals() {
            log.refusedReturns(refusals.count, ofOthers: refusals.areForeign, by: userID, on: loop)
        }
        let activity = (processor.statistics.total.all, loop.connectionCount)
        if let delay = announcer.planReport(of: activity, at: loop.now) {
            _ = loop.call(after: delay) { [unowned self] in announcer.report(status(on: loop), at: loop.now) }
        }
        stopIfIdle(on: loop)
    }
}

/// Where a daemon serves, and within which limits of the system.
struct ServiceSite {
    let socket: String
    /// The socket for assistants; nil if there is none.
    let agentSocket: String?
    /// Whether this is the system's daemon and not a user's.
    let isSystem: Bool
    let descriptorLimit: Int

    /// The maximum number of connections.
    var connectionLimit: Int { max(descriptorLimit - DescriptorLimit.spare, 1) }
}

extension Peer {
    fileprivate init(_ credentials: Credentials, _ connection: ConnectionID) {
        self.init(userID: credentials.userID, groupID: credentials.groupID, processID: credentials.processID)
        self.connection = connection.rawValue
    }
}

// MARK: - Signals and the status

extension RequestService {
    /// Reports that the daemon serves, and starts the watchdog notifications.
    func begin(on loop: isolated EventLoop) {
        announcer.ready(status(on: loop), agentSocket: site.agentSocket)
        if let unserved = served.current.unserved {
            announcer.reportUnserved(unserved, isOfSystem: site.isSystem)
            awaitFiles(on: loop)
        }
        if let pause = announcer.watchdogPause { pingWatchdog(after: pause, on: loop) }
    }

    private func pingWatchdog(after pause: Duration, on loop: isolated EventLoop) {
        _ = loop.call(after: pause) { [unowned self] in
            announcer.pingWatchdog()
            pingWatchdog(after: pause, on: loop)
        }
    }

    func receive(signal: Int32, on loop: isolated EventLoop) {
        perform(life.receive(signal: signal), on: loop)
    }

    private func status(on loop: isolated EventLoop) -> ServiceStatus {
        var status = ServiceStatus(socket: site.socket)
        status.isStopping = life.isStopping
        status.routeCount = served.current.routeCount
        status.connectionCount = loop.connectionCount
        status.waitingCount = sessions(on: loop).count(where: \.isWaiting)
        status.answerCount = processor.statistics.total.all
        status.errorCount = processor.statistics.total.errors
        status.faultCount = served.faultCount
        status.unserved = served.current.unserved?.summary
        return status
    }

    private func perform(_ step: LifeCycle.Step, on loop: isolated EventLoop) {
        switch step {
        case .reload: startReload(on: loop)
        case .drain: drain(on: loop)
        case .stop: stop(on: loop)
        case .nothing: break
        }
    }
}

// MARK: - The configuration

extension RequestService {
    /// Reloads the configuration, or waits for the reload in progress and the one after it; nil if there is none.
    func reload(on loop: isolated EventLoop) async -> ConfigurationLoader.Outcome? {
        if life.isStopping { return nil }
        return await withCheckedContinuation { waiter in
            served.add(waiter)
            perform(life.requestReload(), on: loop)
        }
    }

    /// Reloads the configuration as soon as the files exist that it lacks, which may be on a late mount.
    private func awaitFiles(on loop: isolated EventLoop) {
        guard served.current.unserved?.error.mayPass == true, !life.isStopping else { return }
        _ = loop.call(after: .seconds(2)) { [unowned self] in
            Task.immediate(executorPreference: loop.executor) {
                if await served.loader.isValid() { perform(life.requestReload(), on: loop) }
                awaitFiles(on: loop)
            }
        }
    }

    private func startReload(on loop: isolated EventLoop) {
        served.beginReload()
        announcer.reloading()
        Task.immediate(executorPreference: loop.executor) {
            do throws(SystemError) {
                endReload(try await served.loader.load(after: served.current), on: loop)
            } catch {
                log.logger.error("not reloaded", metadata: ["error": "\(error)"])
                endReload(nil, on: loop)
            }
            // Only now: the outcome still holds routes that are no longer in use.
            served.loader.giveMemoryBack()
        }
    }

    /// Ends a reload with its outcome; nil if it has not begun.
    private func endReload(_ outcome: ConfigurationLoader.Outcome?, on loop: isolated EventLoop) {
        let next = life.endReload()
        if life.isStopping { return }
        let waiters = served.endReload(outcome)
        switch outcome {
        case .loaded(let new, let difference)?:
            replaceConfiguration(with: new, difference, on: loop)
            announcer.reloaded(difference, status(on: loop))
        case .failed?: announcer.reloadFailed(status(on: loop))
        case nil: announcer.notifyReady(status(on: loop))
        }
        for waiter in waiters { waiter.resume(returning: outcome) }
        perform(next, on: loop)
    }

    /// Replaces the configuration; waiting requests keep theirs.
    ///
    /// - Parameters:
    ///   - new: The new configuration.
    ///   - difference: The changes; nil if everything changes.
    ///   - loop: The loop.
    private func replaceConfiguration(
        with new: RouterConfiguration, _ difference: RouteDifference?, on loop: isolated EventLoop
    ) {
        processor.use(new)
        served.replace(with: new)
        log.logger.logLevel = new.logLevel
        applyLimits(on: loop)
        processor.history?.use(new.history, on: loop)
        streams.configurationChanged(difference, on: loop)
    }

    /// Applies the limits of the configuration to the loop.
    private func applyLimits(on loop: isolated EventLoop) {
        let limits = served.current.limits
        loop.accounts.owners = served.current.owners
        loop.inputLimits.firstByte = limits.firstByte
        loop.inputLimits.message = limits.messageTime
        loop.accounts.capacity = limits.capacity
        loop.accounts.logLineLimit = limits.logLines
        let wanted = limits.capacity[.connections]
        guard wanted > site.connectionLimit else { return }
        loop.accounts.capacity[.connections] = site.connectionLimit
        log.logger.warning(
            "the file descriptor limit allows fewer connections than the configuration",
            metadata: [
                "connections.limit": "\(site.connectionLimit)", "connections.configured": "\(wanted)",
                "descriptors.limit": "\(site.descriptorLimit)",
            ])
    }
}

// MARK: - Stopping

extension RequestService {
    var isStopping: Bool { life.isStopping }

    /// How long clients may take to read the rest of a stream; a slow reader must not delay a restart.
    private static let streamGrace = Duration.seconds(1)

    /// The maximum number of users named in the log when their clients get no answers.
    private static let userLimit = 8

    private func drain(on loop: isolated EventLoop) {
        processor.phase = .draining
        announcer.stopping(status(on: loop))
        served.endWaits()
        streams.stop(on: loop)
        for session in sessions(on: loop) { session.prepareForStop(on: loop) }
        loop.drain()
        if loop.isEnding { return }
        if loop.isDrained { return stop(on: loop) }
        drainEnd = loop.call(after: processor.limits.drainTime) { [unowned self] in endDrain(on: loop) }
        extendStop(on: loop)
        _ = loop.call(after: Self.streamGrace) { [unowned self] in
            for session in sessions(on: loop) where session.isStreaming { loop.closeUnlessAsked(session.id) }
        }
    }

    /// Asks the service manager for more time, again and again.
    private func extendStop(on loop: isolated EventLoop) {
        announcer.finishing(status(on: loop))
        _ = loop.call(after: Announcer.extensionTime) { [unowned self] in extendStop(on: loop) }
    }

    private func endDrain(on loop: isolated EventLoop) {
        processor.phase = .outOfTime
        // Clients get a moment to read their last answers, including those of this turn.
        for session in sessions(on: loop) {
            if session.isWaiting {
                lostClients[session.id] = session.peer.userID
                session.interrupt(with: .error(.shuttingDown), on: loop)
            }
            session.stopJob(on: loop)
        }
        stopSoon(on: loop)
    }

    /// Stops in a moment; later, if the whole process has stood still in the meantime.
    private func stopSoon(on loop: isolated EventLoop) {
        let end = loop.now + .seconds(1)
        drainEnd = loop.call(after: .seconds(1)) { [unowned self] in
            if loop.now > end + .seconds(1) { stopSoon(on: loop) } else { stop(on: loop) }
        }
    }

    /// Stops the loop if the daemon stops and no client is connected.
    func stopIfIdle(on loop: isolated EventLoop) {
        guard life.isStopping, !loop.isEnding else { return }
        loop.leaveDetachedPrograms()
        guard loop.isDrained else { return }
        // The deadline would stop the loop a second time, and so kill programs that have been asked to end.
        if let drainEnd { loop.cancel(drainEnd) }
        stop(on: loop)
    }

    /// Stops the loop, whatever is still in progress.
    private func stop(on loop: isolated EventLoop) {
        for (session, hasInput) in loop.endSessions() {
            // A stream ends at any time, but requests queued behind it still need answers.
            guard let session = session as? ClientSession, hasInput || !session.isStreaming else { continue }
            lostClients[session.id] = session.peer.userID
        }
        if !lostClients.isEmpty {
            let userIDs = Set(lostClients.values).sorted()
            let named = userIDs.prefix(Self.userLimit).map { "\($0)" }.joined(separator: ",")
            endIncomplete(
                "ended before all requests were answered",
                [
                    "client.count": "\(lostClients.count)",
                    "client.uids": "\(named)\(userIDs.count > Self.userLimit ? ",…" : "")",
                ])
            lostClients = [:]
        }
        processor.history?.finish(on: loop)
        finishAudit()
        if loop.mayHaveUnaccepted { endIncomplete("ended while clients may have waited to be accepted", [:]) }
        loop.stop()
    }

    private func endIncomplete(_ sentence: Logger.Message, _ metadata: Logger.Metadata) {
        log.logger.warning(sentence, metadata: metadata)
        ending.isIncomplete = true
    }
}

/// How the daemon ended.
package final class DaemonEnding: Sendable {
    private let incomplete = Atomic(false)

    /// Whether requests did not get their answers, or may not have.
    package internal(set) var isIncomplete: Bool {
        get { incomplete.load(ordering: .relaxed) }
        set { incomplete.store(newValue, ordering: .relaxed) }
    }
}
