import CLinux
import Glibc
import Logging
import XCallbackBuiltIns
import XCallbackConfiguration
import XCallbackEventLoop
import XCallbackLinux
import XCallbackPipeline
import XCallbackPrograms
import XCallbackSystemd
import XCallbackURL
import XCallbackWire

/// The service of a daemon: its parts, and the events of the loop that concern several of them; lives on the event loop.
///
/// A session uses the part that it needs: the answerer for its requests, the streams, the inspections.
final class RequestService: ProgramService {
    /// Where the daemon serves.
    let site: ServiceSite
    var served: ServedConfiguration
    /// Answers the requests.
    var answerer: RequestAnswerer
    let streams: ClientStreams
    /// The clients' queries about the configuration.
    let inspections = Inspections()
    /// Memory for the calls of all connections, used one call at a time.
    var message = JSONDocument()

    var life = LifeCycle()
    var stopping: ServiceStop
    var announcer: Announcer
    var statistics: ServiceStatistics
    private var refusals = RefusalReports()
    private let logLines: LogLines
    let failureCauses = FailureCauses()
    let questionLimits = QuestionLimits()
    /// The number of sessions with a request or call that waits.
    private(set) var waitingCount = 0

    /// Creates the service of a configuration.
    init(_ parts: ServiceParts, at socket: String, _ agentSocket: String? = nil, on loop: isolated EventLoop) {
        site = ServiceSite(
            socket: socket, agentSocket: agentSocket, isSystem: parts.isSystem, descriptorLimit: parts.descriptorLimit)
        served = ServedConfiguration(parts)
        answerer = RequestAnswerer(parts.configuration)
        streams = ClientStreams(answerer.watch, Receivers(socket: socket, failureCauses: failureCauses))
        stopping = ServiceStop(parts.ending)
        announcer = Announcer(parts.notifier, parts.logger)
        statistics = ServiceStatistics(since: loop.now)
        logLines = LogLines(parts.logger)
        answerer.state.lastID = RequestID(ofStart: randomNumber())
        answerer.state.peers = PeerReader(of: loop)
        answerer.state.publish = streams.subscriptions.publisher(on: loop)
        answerer.state[RequestAccounts.self] = RequestAccounts(loggingBy: logLines, on: loop)
        applyLimits(on: loop)
    }

    // MARK: - The configuration

    var configuration: RouterConfiguration { served.current }

    var limits: Limits { configuration.limits }

    /// Replaces the configuration; waiting requests keep theirs.
    ///
    /// - Parameters:
    ///   - new: The new configuration.
    ///   - difference: The changes; nil if everything changes.
    ///   - loop: The loop.
    func replaceConfiguration(
        with new: RouterConfiguration, _ difference: RouteDifference? = nil, on loop: isolated EventLoop
    ) {
        answerer.use(new)
        served.replace(with: new)
        announcer.logger.logLevel = new.logLevel
        applyLimits(on: loop)
        if !streams.all.isEmpty { endRefusedStreams(on: loop) }
        for watch in streams.catalogueWatches.values { watch.configurationChanged(difference, self, on: loop) }
    }

    /// Applies the limits of the configuration to the loop.
    private func applyLimits(on loop: isolated EventLoop) {
        loop.accounts.owners = configuration.owners
        loop.inputLimits.firstByte = limits.firstByte
        loop.inputLimits.message = limits.messageTime
        loop.accounts.capacity = limits.capacity
        loop.accounts.logLineLimit = limits.logLines
        let wanted = limits.capacity[.connections]
        guard wanted > site.connectionLimit else { return }
        loop.accounts.capacity[.connections] = site.connectionLimit
        announcer.logger.warning(
            "the file descriptor limit allows fewer connections than the configuration",
            metadata: [
                "connections.limit": "\(site.connectionLimit)", "connections.configured": "\(wanted)",
                "descriptors.limit": "\(site.descriptorLimit)",
            ])
    }

    // MARK: - Connections

    func open(
        _ connection: ConnectionID, from credentials: Credentials, as kind: AccountClass, on loop: isolated EventLoop
    ) -> (any Session)? {
        let account = loop.account(of: credentials.userID, kind)
        do throws(Excess) {
            try account.take(.connections)
        } catch {
            statistics.connectionCounts.refused += 1
            refusals.reportConnection(credentials, of: account.name, error, at: loop.now, to: announcer.logger)
            return nil
        }
        statistics.connectionCounts.all += 1
        noteActivity(on: loop)
        let origin: Origin = kind == .agent ? .agent : .socket
        return ClientSession(connection, from: Peer(credentials, connection), account, origin, service: self)
    }

    func acceptFailed(_ error: SystemError, on loop: isolated EventLoop) {
        refusals.reportAcceptFailure(error, at: loop.now, to: announcer.logger)
    }

    /// Logs that a connection ends because of its client's input, or because the client does not read.
    func log(_ fault: InputFault, of peer: Peer, on loop: isolated EventLoop) {
        let name = loop.account(of: peer.userID, .socket).name
        refusals.report(fault, of: peer, name, at: loop.now, to: announcer.logger)
    }

    /// Handles the end of a session's connection.
    func close(_ session: ClientSession, on loop: isolated EventLoop) {
        endWaiting(session)
        session.account.give(.connections)
        noteActivity(on: loop)
        stopIfIdle(on: loop)
    }

    func backlogEnded(on loop: isolated EventLoop) {
        stopIfIdle(on: loop)
    }

    /// The sessions of all clients.
    func clientSessions(on loop: isolated EventLoop) -> [ClientSession] {
        loop.sessions.compactMap { $0 as? ClientSession }
    }

    // MARK: - Requests

    /// Records that a session waits, so that it is notified when the daemon stops.
    func beginWaiting(_ session: ClientSession) {
        if !session.isKnownToWait { waitingCount += 1 }
        session.isKnownToWait = true
    }

    /// Records that a session no longer waits.
    func endWaiting(_ session: ClientSession) {
        if session.isKnownToWait { waitingCount -= 1 }
        session.isKnownToWait = false
    }

    /// The sessions that wait.
    func waitingSessions(on loop: isolated EventLoop) -> [ClientSession] {
        clientSessions(on: loop).filter(\.isKnownToWait)
    }

    /// Records the latency of requests that were answered at once, after all events of the batch are handled.
    func batchEnded(on loop: isolated EventLoop) {
        refusals.reportReturns(to: &answerer, to: announcer.logger, on: loop)
        if let time = statistics.endBatch(answerer.answers.all, after: { loop.timeInBatch }) {
            answerer.endBatch(after: time)
        }
    }

    /// Adds a stream of replies, so that it is notified when the daemon stops.
    ///
    /// - Throws: ``Excess`` if there are too many streams.
    func add(_ stream: ReplyStream) throws(Excess) {
        try streams.add(stream)
        if life.isStopping { stream.end(with: .stopping) }
    }

    func takeLogLine(for request: Request, on loop: isolated EventLoop) -> Bool {
        logLines.takeLine(for: request, on: loop)
    }

    /// Logs why a handler failed; most clients learn only that it failed.
    func log(_ error: any Error, for request: Request, on loop: isolated EventLoop) {
        failureCauses.note("\(error)", of: request)
        guard takeLogLine(for: request, on: loop) else { return }
        var metadata = request.logMetadata
        metadata["error"] = "\(error)"
        announcer.logger.error("handler failed", metadata: metadata)
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
    init(_ credentials: Credentials, _ connection: ConnectionID) {
        self.init(
            userID: credentials.userID, groupID: credentials.groupID, processID: credentials.processID,
            connection: connection.rawValue)
    }
}
