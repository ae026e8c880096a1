import CLinux
import Glibc
import Logging
import XCallbackBuiltIns
import XCallbackConfiguration
import XCallbackEventLoop
import XCallbackJSON
import XCallbackLinux
import XCallbackPipeline
import XCallbackPrograms
import XCallbackSystemd
import XCallbackURL

/// The state that the sessions of a daemon share; lives on the event loop.
final class RequestService: ProgramService {
    /// The configuration in use.
    private(set) var configuration: RouterConfiguration
    /// Answers the requests.
    var answerer: RequestAnswerer
    /// The number of sessions with a request or call that waits.
    private(set) var waitingCount = 0

    // State of `RequestService+Life`.
    let socket: String
    /// The socket for assistants; nil if there is none.
    let agentSocket: String?
    /// The callers that wait for a reload to end: the current one, and the next one.
    var reloadWaiters: (now: [ReloadWaiter], next: [ReloadWaiter]) = ([], [])
    var reloadCounts = (all: 0, failed: 0)
    let loader: ConfigurationLoader
    private(set) var announcer: Announcer
    var life = LifeCycle()
    /// Whether waiting requests are answered at once, because the time to stop is over.
    var isOutOfTime = false
    /// The clients that got no answer because the daemon stopped, and their users.
    var lostClients: [ConnectionID: UInt32] = [:]
    let ending: DaemonEnding
    /// Whether a status report is scheduled, or not needed.
    var isStatusPlanned: Bool
    var nextStatusTime = Duration.zero
    /// The number of faults when the configuration was last loaded.
    var faultCount = 0
    /// The faults for which every request gets an error until a reload; nil if a configuration is in use.
    var outage: ConfigurationError?

    /// Whether this is the system's daemon and not a user's.
    let isSystem: Bool
    private let descriptorLimit: Int
    // State of `RequestService+Replies`.
    let startTime: Duration
    private(set) var latencies = LatencyHistogram()
    private var timedAnswerCount = 0
    private(set) var connectionCounts = (all: 0, refused: 0)

    /// Memory for the calls of all connections, used one call at a time.
    var layout = JSONLayout()
    /// The clients that receive a stream of replies.
    private(set) var streams: [ConnectionID: ReplyStream] = [:]
    /// The streams that report the routes.
    var catalogueWatches: [ConnectionID: CatalogueWatch] = [:]
    /// The receivers and the deliveries to them.
    let receivers: Receivers
    /// The subscriptions to topics.
    let subscriptions = Subscriptions()
    /// The clients' queries about the configuration.
    let inspections = Inspections()
    let failureCauses = FailureCauses()
    let questionLimits = QuestionLimits()
    private let logLines: LogLines
    /// The names and topics of the configuration, once a client has asked for them.
    private var knownNames: ClientNames?
    /// The number of configurations that were in use so far.
    private(set) var configurationNumber = 0

    private var refusals = RefusalLogs()
    private var inputFaults = RefusalLogs()
    private var acceptFailures = RefusalLog()
    private var returnRefusals = RefusalLogs()
    private var refusedReturnCount = 0
    /// The number of error answers at the last check for rejected returns.
    private var examinedErrorCount = 0

    /// Creates the service of a configuration.
    init(_ parts: ServiceParts, at socket: String, _ agentSocket: String? = nil, on loop: isolated EventLoop) {
        configuration = parts.configuration
        startTime = loop.now
        answerer = RequestAnswerer(parts.configuration)
        answerer.state.lastID = RequestID(ofStart: randomNumber())
        receivers = Receivers(socket: socket, failureCauses: failureCauses)
        logLines = LogLines(parts.logger)
        answerer.state.peers = ConnectedPeers(of: loop)
        answerer.state.publisher = LoopPublisher(loop: loop, subscriptions: subscriptions)
        answerer.state[RequestAccounts.self] = RequestAccounts(loggingBy: logLines, on: loop)
        loader = parts.loader
        announcer = Announcer(notifier: parts.notifier, logger: parts.logger)
        descriptorLimit = parts.descriptorLimit
        isSystem = parts.isSystem
        ending = parts.ending
        isStatusPlanned = !parts.notifier.manager.isPresent
        self.socket = socket
        self.agentSocket = agentSocket
        outage = parts.outage
        faultCount = parts.outage?.count ?? 0
        use(parts.configuration, on: loop)
    }

    var isStopping: Bool { life.isStopping }

    /// The limits.
    var limits: Limits { configuration.limits }

    /// Applies the limits of a configuration.
    private func use(_ configuration: RouterConfiguration, on loop: isolated EventLoop) {
        let limits = configuration.limits
        loop.accounts.owners = configuration.owners
        loop.inputLimits.firstByte = limits.firstByte
        loop.inputLimits.message = limits.messageTime
        loop.accounts.capacity = limits.capacity
        loop.accounts.logLineLimit = limits.logLines
        let wanted = limits.capacity[.connections]
        let most = max(descriptorLimit - DescriptorLimit.spare, 1)
        guard wanted > most else { return }
        loop.accounts.capacity[.connections] = most
        logger.warning(
            "the file descriptor limit allows fewer connections than the configuration",
            metadata: [
                "connections.limit": "\(most)", "connections.configured": "\(wanted)",
                "descriptors.limit": "\(descriptorLimit)",
            ])
    }

    private var logger: Logger { announcer.logger }

    /// Replaces the configuration; waiting requests keep theirs.
    ///
    /// - Parameters:
    ///   - new: The new configuration.
    ///   - difference: The changes; nil if everything changes.
    ///   - loop: The loop.
    func replaceConfiguration(
        with new: RouterConfiguration, _ difference: RouteDifference? = nil, on loop: isolated EventLoop
    ) {
        let old = configuration
        configuration = new
        answerer.use(new)
        loader.release(consume old)
        announcer.logger.logLevel = new.logLevel
        use(new, on: loop)
        knownNames = nil
        configurationNumber += 1
        if !streams.isEmpty { endRefusedStreams(on: loop) }
        for watch in catalogueWatches.values { watch.configurationChanged(difference, self, on: loop) }
    }

    /// The names and topics of the configuration.
    var clientNames: ClientNames {
        if let knownNames { return knownNames }
        let names = ClientNames(configuration.pipeline.routes)
        knownNames = names
        return names
    }

    func open(
        _ connection: ConnectionID, from credentials: Credentials, as kind: AccountClass, on loop: isolated EventLoop
    ) -> (any Session)? {
        let account = loop.account(of: credentials.userID, kind)
        do throws(Excess) {
            try account.take(.connections)
        } catch {
            refuse(credentials, of: account.name, error, on: loop)
            return nil
        }
        connectionCounts.all += 1
        noteActivity(on: loop)
        let origin: Origin = kind == .agent ? .agent : .socket
        return ClientSession(connection, from: Peer(credentials, connection), account, origin, service: self)
    }

    func acceptFailed(_ error: SystemError, on loop: isolated EventLoop) {
        guard let count = acceptFailures.add(at: loop.now) else { return }
        logger.warning(
            "cannot accept connections, retrying", metadata: ["error": "\(error)", "failure.count": "\(count)"])
    }

    func backlogEnded(on loop: isolated EventLoop) {
        stopIfIdle(on: loop)
    }

    /// Handles the end of a session's connection.
    func close(_ session: ClientSession, on loop: isolated EventLoop) {
        endWaiting(session)
        session.account.give(.connections)
        noteActivity(on: loop)
        stopIfIdle(on: loop)
    }

    /// Stops the loop if the daemon stops and no client is connected.
    func stopIfIdle(on loop: isolated EventLoop) {
        guard life.isStopping, loop.isDrained else { return }
        // The deadline would stop the loop a second time, and so kill programs that have been asked to end.
        loop.setDeadline(.drain, after: nil)
        stop(on: loop)
    }

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

    /// The sessions of all clients.
    func clientSessions(on loop: isolated EventLoop) -> [ClientSession] {
        loop.sessions.compactMap { $0 as? ClientSession }
    }

    /// The sessions that wait.
    func waitingSessions(on loop: isolated EventLoop) -> [ClientSession] {
        clientSessions(on: loop).filter(\.isKnownToWait)
    }

    /// Records the latency of requests that were answered at once, after all events of the batch are handled.
    func batchEnded(on loop: isolated EventLoop) {
        noteRefusedReturns(on: loop)
        let count = answerer.answers.all - timedAnswerCount
        guard count > 0 else { return }
        timedAnswerCount += count
        let time = loop.timeInBatch
        latencies.add(time, count: count)
        answerer.endBatch(after: time)
    }

    /// Logs rejected return URLs: guessed tokens, or an application that answers late or twice.
    private func noteRefusedReturns(on loop: isolated EventLoop) {
        // A rejection counts as an error.
        guard answerer.answers.errors > examinedErrorCount else { return }
        examinedErrorCount = answerer.answers.errors
        let count = answerer.state[OutgoingCalls.self].refusalCount
        guard count > refusedReturnCount else { return }
        refusedReturnCount = count
        for (userID, refusals) in answerer.state[OutgoingCalls.self].takeRefusals() {
            let name = loop.account(of: userID, .socket).name
            guard let count = returnRefusals.add(refusals.count, of: name, at: loop.now) else { continue }
            logger.warning(
                "rejected an answer to a call: it is late, repeated or forged",
                metadata: [
                    "peer.uid": "\(userID)", "call.of-another-user": "\(refusals.areForeign)",
                    "refused.count": "\(count)",
                ])
        }
    }

    /// Records the latency of a request that has waited, just before its answer.
    func noteLatency(_ time: Duration) {
        timedAnswerCount += 1
        latencies.add(Int64(time / .nanoseconds(1)), count: 1)
    }

    /// Adds a stream of replies, so that it is notified when the daemon stops.
    ///
    /// - Throws: ``Excess`` if there are too many streams.
    func add(_ stream: ReplyStream) throws(Excess) {
        try stream.account.take(.streams)
        streams[stream.connection] = stream
        if life.isStopping { stream.end(with: .stopping) }
    }

    /// Removes a stream of replies.
    func remove(_ stream: ReplyStream, on loop: isolated EventLoop) {
        guard streams.removeValue(forKey: stream.connection) != nil else { return }
        stream.account.give(.streams)
        stream.close()
        catalogueWatches[stream.connection] = nil
        answerer.watch.remove(stream.connection)
        subscriptions.remove(stream.connection)
        receivers.remove(stream, on: loop)
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
        logger.error("handler failed", metadata: metadata)
    }

    /// Counts a rejected connection and logs the reason.
    private func refuse(
        _ credentials: Credentials, of name: AccountName, _ excess: Excess, on loop: isolated EventLoop
    ) {
        connectionCounts.refused += 1
        guard let count = refusals.add(of: name, at: loop.now) else { return }
        let whose = if case .account = excess.holder { " of a user" } else { "" }
        logger.warning(
            "connection refused: too many connections\(whose)",
            metadata: [
                "peer.uid": "\(credentials.userID)", "peer.pid": "\(credentials.processID)",
                "limit": "\(excess.limit)", "limit.setting": "\(excess.setting)", "refused.count": "\(count)",
            ])
    }

    /// Logs that a connection ends because of its client's input, or because the client does not read.
    func log(_ fault: InputFault, of peer: Peer, on loop: isolated EventLoop) {
        let name = loop.account(of: peer.userID, .socket).name
        guard let count = inputFaults.add(of: name, at: loop.now) else { return }
        logger.warning(
            "connection ended: \(fault.reason)",
            metadata: [
                "peer.uid": "\(peer.userID)", "peer.pid": "\(peer.processID)", "connection.count": "\(count)",
            ])
    }
}

extension Peer {
    init(_ credentials: Credentials, _ connection: ConnectionID) {
        self.init(
            userID: credentials.userID, groupID: credentials.groupID, processID: credentials.processID,
            connection: connection.rawValue)
    }
}

extension InputFault {
    /// The fault as an error for the client.
    var error: CallbackError {
        switch self {
        case .excess(let excess): CallbackError(.tooMany, excess.description)
        case .unfinished(let limit):
            CallbackError(.timedOut, "The message was not completed within \(limit) (limits: message-time).")
        case .descriptors: CallbackError(.malformed, "File descriptors must not be passed over this socket.")
        }
    }

    /// The reason in the log.
    fileprivate var reason: String { error.message }
}
