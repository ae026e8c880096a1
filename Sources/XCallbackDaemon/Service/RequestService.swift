import Glibc
import Logging
import XCallbackBuiltIns
import XCallbackConfiguration
import XCallbackEventLoop
import XCallbackJSON
import XCallbackPipeline
import XCallbackPrograms
import XCallbackSystemd
import XCallbackURL

/// What the sessions of a daemon share; it lives on the event loop.
final class RequestService: ProgramService {
    /// What one user has in use.
    final class Use {
        var connections = 0
        var requests = 0
        let turns = TurnAccount()
    }

    /// What is served.
    private(set) var configuration: RouterConfiguration
    /// What answers requests.
    var answerer: RequestAnswerer
    /// How many sessions have a request or a call that waits.
    private(set) var waitingCount = 0

    // What `RequestService+Life` keeps.
    let socket: String
    /// What waits for the end of a reload: of the one that runs, and of the one after it.
    var reloadWaiters: (now: [ReloadWaiter], next: [ReloadWaiter]) = ([], [])
    var reloadCounts = (all: 0, failed: 0)
    let loader: ConfigurationLoader
    private(set) var announcer: Announcer
    var life = LifeCycle()
    /// Whether requests that wait are answered at once, as the time to stop is over.
    var isOutOfTime = false
    /// Whether the manager is going to be told how the daemon does, or need not be.
    var isStatusPlanned: Bool
    var nextStatusTime = Duration.zero
    /// How many faults the configuration had when it was loaded last.
    var faultCount = 0

    /// Whether it is the daemon of the system, not that of a user.
    let isSystem: Bool
    /// Whether there is a session whose desktop hands URLs over on its message bus.
    let joinsSession: Bool
    private let descriptorLimit: Int
    // What `RequestService+Replies` shows.
    let startTime: Duration
    private(set) var latencies = LatencyHistogram()
    private var timedAnswerCount = 0
    private(set) var connectionCounts = (all: 0, refused: 0)

    /// Memory for the calls of all connections, in turn.
    var layout = JSONLayout()
    /// Those who are told something again and again.
    private(set) var streams: [ConnectionID: ReplyStream] = [:]
    /// The requests that are handed to clients.
    let receivers: Receivers
    /// What makes names that nobody can guess.
    let tokens = TokenSource()
    /// The calls of other applications that outlive the daemon.
    let keptCalls: KeptCalls
    /// Who subscribes to topics.
    let subscriptions: Subscriptions
    /// What clients ask of the configuration.
    let inspections = Inspections()
    /// The names and topics of the configuration, once somebody has asked for them.
    private var knownNames: ClientNames?
    /// Counts the configurations that were served.
    private(set) var configurationNumber = 0

    private var uses: [UInt32: Use] = [:]
    private var refusals = RefusalLog()
    private var userRefusals = RefusalLog()
    private var acceptFailures = RefusalLog()
    private var returnRefusals = RefusalLog()
    private var refusedReturnCount = 0
    /// How many errors were answered when the refused returns were looked at last.
    private var examinedErrorCount = 0

    /// Creates the service of a configuration.
    init(_ parts: ServiceParts, at socket: String, on loop: isolated EventLoop) {
        configuration = parts.configuration
        startTime = loop.now
        answerer = RequestAnswerer(parts.configuration)
        receivers = Receivers(socket: socket, tokens: tokens)
        keptCalls = loop.resident { [tokens] in KeptCalls(in: parts.callStore, tokens) }
        subscriptions = loop.resident { Subscriptions() }
        answerer.state.peers = ConnectedPeers(loop: loop)
        answerer.state.publisher = LoopPublisher(loop: loop)
        loader = parts.loader
        announcer = Announcer(notifier: parts.notifier, logger: parts.logger)
        descriptorLimit = parts.descriptorLimit
        isSystem = parts.isSystem
        joinsSession = parts.joinsSession
        isStatusPlanned = !parts.notifier.manager.isPresent
        self.socket = socket
    }

    /// The limits.
    var limits: Limits { configuration.limits }

    /// How many connections there may be.
    var maximumConnections: Int {
        min(limits.connections, max(descriptorLimit - DescriptorLimit.spare, 1))
    }

    private var logger: Logger { announcer.logger }

    /// Serves another configuration from now on; requests that wait keep theirs.
    func replaceConfiguration(with new: RouterConfiguration, on loop: isolated EventLoop) {
        let old = configuration
        configuration = new
        answerer.use(new)
        loader.release(old)
        PeerTeller.begin(for: new, announcer.logger, on: loop)
        announcer.logger.logLevel = new.logLevel
        loop.silenceLimit = new.limits.firstByte
        knownNames = nil
        configurationNumber += 1
        if !streams.isEmpty { endRefusedStreams(on: loop) }
    }

    /// The names and topics of the configuration.
    var clientNames: ClientNames {
        if let knownNames { return knownNames }
        let names = ClientNames(configuration.pipeline.routes)
        knownNames = names
        return names
    }

    func open(
        _ connection: ConnectionID, from credentials: Credentials, on loop: isolated EventLoop
    ) -> (any Session)? {
        let credentials = identified(credentials)
        guard loop.connectionCount <= maximumConnections else {
            refuse("too many connections", credentials, limit: maximumConnections, "connections", &refusals, on: loop)
            return nil
        }
        let use = uses[credentials.userID] ?? Use()
        guard use.connections < limits.connectionsPerUser else {
            refuse(
                "too many connections of a user", credentials, limit: limits.connectionsPerUser,
                "connections-per-user", &userRefusals, on: loop)
            return nil
        }
        use.connections += 1
        uses[credentials.userID] = use
        connectionCounts.all += 1
        noteActivity(on: loop)
        return ClientSession(connection, from: Peer(credentials, connection), use, service: self)
    }

    /// Who has connected; root by its own number, where it has none in the daemon's user namespace.
    private func identified(_ credentials: Credentials) -> Credentials {
        guard credentials.userID != 0, UserNamespace.mayBeRoot(credentials.userID) else { return credentials }
        var status = stat()
        // Who may connect to a socket of one user is that user, or root.
        let isPrivate = stat(socket, &status) == 0 && status.st_uid == geteuid() && status.st_mode & 0o077 == 0
        return isPrivate ? Credentials(userID: 0, groupID: 0, processID: credentials.processID) : credentials
    }

    func acceptFailed(_ error: SystemError, on loop: isolated EventLoop) {
        guard let count = acceptFailures.add(at: loop.now) else { return }
        logger.warning(
            "cannot accept connections for a moment", metadata: ["error": "\(error)", "failure.count": "\(count)"])
    }

    /// Hears that the connection of a session is closed.
    func close(_ session: ClientSession, on loop: isolated EventLoop) {
        endWaiting(session)
        session.use.connections -= 1
        // What has waited in them has ended before.
        if session.use.connections == 0 { uses[session.peer.userID] = nil }
        noteActivity(on: loop)
        stopIfIdle(on: loop)
    }

    /// Stops the loop if the daemon stops and nobody is connected any more.
    func stopIfIdle(on loop: isolated EventLoop) {
        guard life.isStopping, loop.connectionCount == 0 else { return }
        // Its end would stop the loop a second time, and so kill programs that have been asked to end.
        loop.setDeadline(.drain, after: nil)
        loop.stop()
    }

    /// Knows that a session has something that waits, so that it hears of the daemon's end.
    func beginWaiting(_ session: ClientSession) {
        if !session.isKnownToWait { waitingCount += 1 }
        session.isKnownToWait = true
    }

    /// Knows that nothing of a session waits any more.
    func endWaiting(_ session: ClientSession) {
        if session.isKnownToWait { waitingCount -= 1 }
        session.isKnownToWait = false
    }

    /// What the user of a peer has in use.
    func use(of peer: Peer) -> Use { uses[peer.userID] ?? Use() }

    /// The sessions that have something that waits.
    func waitingSessions(on loop: isolated EventLoop) -> [ClientSession] {
        loop.sessions.compactMap { $0 as? ClientSession }.filter(\.isKnownToWait)
    }

    /// Notes how long the requests took that were answered at once, as the events that brought them are worked off.
    func batchEnded(on loop: isolated EventLoop) {
        noteRefusedReturns(on: loop)
        let count = answerer.answers.all - timedAnswerCount
        guard count > 0 else { return }
        timedAnswerCount += count
        latencies.add(loop.timeInBatch, count: count)
    }

    /// Logs that return URLs were refused: somebody guesses, or an application answers late or twice.
    private func noteRefusedReturns(on loop: isolated EventLoop) {
        // A refusal is an error.
        guard answerer.answers.errors > examinedErrorCount else { return }
        examinedErrorCount = answerer.answers.errors
        let count = answerer.state[OutgoingCalls.self].refusalCount
        guard count > refusedReturnCount, let refusal = answerer.state[OutgoingCalls.self].lastRefusal else { return }
        refusedReturnCount = count
        guard returnRefusals.add(at: loop.now) != nil else { return }
        logger.warning(
            "an answer to a call was refused: it is late, repeated or forged",
            metadata: [
                "peer.uid": "\(refusal.userID)", "call.of-another-user": "\(refusal.isForeign)",
                "refused.total": "\(count)",
            ])
    }

    /// Notes how long a request took that has waited and is going to be answered.
    func noteLatency(_ time: Duration) {
        timedAnswerCount += 1
        latencies.add(Int64(time / .nanoseconds(1)), count: 1)
    }

    /// Knows of one who is told something again and again, so that it hears of the daemon's end.
    func add(_ stream: ReplyStream) {
        streams[stream.connection] = stream
        if life.isStopping { stream.end(with: .stopping) }
    }

    /// Forgets one who is told nothing any more.
    func remove(_ stream: ReplyStream, on loop: isolated EventLoop) {
        streams[stream.connection] = nil
        answerer.watch.remove(stream.connection)
        subscriptions.remove(stream.connection)
        receivers.remove(stream, on: loop)
    }

    /// Logs why a handler failed; the client is told only that it did.
    func log(_ error: any Error, of route: String) {
        logger.error("handler failed", metadata: ["route.pattern": "\(route)", "error": "\(error)"])
    }

    /// Counts a connection that is refused, and logs why.
    private func refuse(
        _ reason: String, _ credentials: Credentials, limit: Int, _ setting: String, _ log: inout RefusalLog,
        on loop: isolated EventLoop
    ) {
        connectionCounts.refused += 1
        guard let count = log.add(at: loop.now) else { return }
        logger.warning(
            "connection refused: \(reason)",
            metadata: [
                "peer.uid": "\(credentials.userID)", "peer.pid": "\(credentials.processID)",
                "limit": "\(limit)", "limit.setting": "limits: \(setting)", "refused.count": "\(count)",
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
