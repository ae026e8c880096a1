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

/// What the sessions of a daemon share; it lives on the event loop.
final class RequestService: ProgramService {
    /// What is served.
    private(set) var configuration: RouterConfiguration
    /// What answers requests.
    var answerer: RequestAnswerer
    /// How many sessions have a request or a call that waits.
    private(set) var waitingCount = 0

    // What `RequestService+Life` keeps.
    let socket: String
    /// The socket for assistants; nil if there is none.
    let agentSocket: String?
    /// What the paths of the sockets lead to, and what helps if that is another file, or none.
    var socketPlaces: [AccountClass: SocketPlace] = [:]
    let socketRemedy: SocketRemedy
    /// What waits for the end of a reload: of the one that runs, and of the one after it.
    var reloadWaiters: (now: [ReloadWaiter], next: [ReloadWaiter]) = ([], [])
    var reloadCounts = (all: 0, failed: 0)
    let loader: ConfigurationLoader
    private(set) var announcer: Announcer
    var life = LifeCycle()
    /// Whether requests that wait are answered at once, as the time to stop is over.
    var isOutOfTime = false
    /// The clients that had to be left without an answer because the daemon ends, and their users.
    var lostClients: [ConnectionID: UInt32] = [:]
    let ending: DaemonEnding
    /// Whether the manager is going to be told how the daemon does, or need not be.
    var isStatusPlanned: Bool
    var nextStatusTime = Duration.zero
    /// How many faults the configuration had when it was loaded last.
    var faultCount = 0
    /// The faults that keep every configuration from being served; nil as soon as one is.
    var outage: ConfigurationError?
    var outageEnd = Duration.zero

    /// Whether it is the daemon of the system, not that of a user.
    let isSystem: Bool
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
    /// Those of them who are told the routes.
    var catalogueWatches = CatalogueWatches()
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

    private var refusals: [Allowance.Share: RefusalLogs] = [:]
    private var inputFaults = RefusalLogs()
    private var acceptFailures = RefusalLog()
    private var returnRefusals = RefusalLogs()
    private var refusedReturnCount = 0
    /// How many errors were answered when the refused returns were looked at last.
    private var examinedErrorCount = 0

    /// Creates the service of a configuration.
    init(_ parts: ServiceParts, at socket: String, _ agentSocket: String? = nil, on loop: isolated EventLoop) {
        configuration = parts.configuration
        startTime = loop.now
        answerer = RequestAnswerer(parts.configuration)
        answerer.state.lastID = RequestID(ofStart: tokens.makeNumber())
        receivers = Receivers(socket: socket, tokens: tokens)
        keptCalls = loop.resident { [tokens] in KeptCalls(in: parts.callStore, tokens) }
        subscriptions = loop.resident { Subscriptions() }
        answerer.state.peers = ConnectedPeers(loop: loop)
        answerer.state.publisher = LoopPublisher(loop: loop)
        _ = loop.resident { LogLines(parts.logger) }
        answerer.state[LogBudget.self] = LogBudget(on: loop)
        loader = parts.loader
        announcer = Announcer(notifier: parts.notifier, logger: parts.logger)
        descriptorLimit = parts.descriptorLimit
        isSystem = parts.isSystem
        ending = parts.ending
        isStatusPlanned = !parts.notifier.manager.isPresent
        self.socket = socket
        self.agentSocket = agentSocket
        socketRemedy = parts.socketRemedy
        outage = parts.outage
        faultCount = parts.outage?.count ?? 0
        use(parts.configuration, on: loop)
    }

    var isStopping: Bool { life.isStopping }

    /// The limits.
    var limits: Limits { configuration.limits }

    /// Lets the limits of a configuration hold from now on.
    private func use(_ configuration: RouterConfiguration, on loop: isolated EventLoop) {
        let limits = configuration.limits
        loop.accounts.owners = configuration.owners
        loop.silenceLimit = limits.firstByte
        loop.messageLimit = limits.messageTime
        loop.accounts.allowances = limits.accounts
        let wanted = limits.accounts[.connections]
        let most = max(descriptorLimit - DescriptorLimit.spare, 1)
        guard wanted[.all] > most else { return }
        loop.accounts.allowances[.connections] = wanted.scaled(to: most)
        logger.warning(
            "the file descriptor limit allows fewer connections than the configuration",
            metadata: [
                "connections.limit": "\(most)", "connections.configured": "\(wanted[.all])",
                "descriptors.limit": "\(descriptorLimit)",
            ])
    }

    private var logger: Logger { announcer.logger }

    /// Serves another configuration from now on; requests that wait keep theirs.
    ///
    /// - Parameters:
    ///   - new: The configuration.
    ///   - difference: What it changes; nil for everything.
    ///   - loop: The loop.
    func replaceConfiguration(
        with new: RouterConfiguration, _ difference: RouteDifference? = nil, on loop: isolated EventLoop
    ) {
        let old = configuration
        configuration = new
        answerer.use(new)
        loader.release(consume old)
        PeerTeller.begin(for: new, announcer.logger, on: loop)
        announcer.logger.logLevel = new.logLevel
        use(new, on: loop)
        knownNames = nil
        configurationNumber += 1
        if !streams.isEmpty { endRefusedStreams(on: loop) }
        for watch in catalogueWatches.all { watch.configurationChanged(difference, self, on: loop) }
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
        if outage != nil { lookForConfiguration(on: loop) }
        let credentials = identified(credentials, over: kind == .agent ? agentSocket ?? socket : socket)
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

    /// Who has connected; root by its own number, where it has none in the daemon's user namespace.
    private func identified(_ credentials: Credentials, over socket: String) -> Credentials {
        guard credentials.userID != 0, UserNamespace.mayBeRoot(credentials.userID) else { return credentials }
        var status = stat()
        // Who may connect to a socket of one user is that user, or root.
        let isPrivate = stat(socket, &status) == 0 && status.st_uid == geteuid() && status.st_mode & 0o077 == 0
        return isPrivate ? Credentials(userID: 0, groupID: 0, processID: credentials.processID) : credentials
    }

    func acceptFailed(_ error: SystemError, on loop: isolated EventLoop) {
        guard let count = acceptFailures.add(at: loop.now) else { return }
        logger.warning(
            "cannot accept connections, retrying", metadata: ["error": "\(error)", "failure.count": "\(count)"])
    }

    func backlogEnded(on loop: isolated EventLoop) {
        stopIfIdle(on: loop)
    }

    /// Hears that the connection of a session is closed.
    func close(_ session: ClientSession, on loop: isolated EventLoop) {
        endWaiting(session)
        session.account.give(.connections)
        noteActivity(on: loop)
        stopIfIdle(on: loop)
    }

    /// Stops the loop if the daemon stops and nobody is connected any more.
    func stopIfIdle(on loop: isolated EventLoop) {
        guard life.isStopping, loop.isDrained else { return }
        // Its end would stop the loop a second time, and so kill programs that have been asked to end.
        loop.setDeadline(.drain, after: nil)
        stop(on: loop)
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

    /// The sessions of all clients.
    func clientSessions(on loop: isolated EventLoop) -> [ClientSession] {
        loop.sessions.compactMap { $0 as? ClientSession }
    }

    /// The sessions that have something that waits.
    func waitingSessions(on loop: isolated EventLoop) -> [ClientSession] {
        clientSessions(on: loop).filter(\.isKnownToWait)
    }

    /// Notes how long the requests took that were answered at once, as the events that brought them are worked off.
    func batchEnded(on loop: isolated EventLoop) {
        noteRefusedReturns(on: loop)
        let count = answerer.answers.all - timedAnswerCount
        guard count > 0 else { return }
        timedAnswerCount += count
        let time = loop.timeInBatch
        latencies.add(time, count: count)
        answerer.endBatch(after: time)
    }

    /// Logs that return URLs were refused: somebody guesses, or an application answers late or twice.
    private func noteRefusedReturns(on loop: isolated EventLoop) {
        // A refusal is an error.
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

    /// Notes how long a request took that has waited and is going to be answered.
    func noteLatency(_ time: Duration) {
        timedAnswerCount += 1
        latencies.add(Int64(time / .nanoseconds(1)), count: 1)
    }

    /// Knows of one who is told something again and again, so that it hears of the daemon's end.
    ///
    /// - Throws: ``Excess`` if there are too many.
    func add(_ stream: ReplyStream) throws(Excess) {
        try stream.account.take(.streams)
        streams[stream.connection] = stream
        if life.isStopping { stream.end(with: .stopping) }
    }

    /// Forgets one who is told nothing any more.
    func remove(_ stream: ReplyStream, on loop: isolated EventLoop) {
        guard streams.removeValue(forKey: stream.connection) != nil else { return }
        stream.account.give(.streams)
        stream.close()
        removeCatalogueWatch(of: stream, on: loop)
        answerer.watch.remove(stream.connection)
        subscriptions.remove(stream.connection)
        receivers.remove(stream, on: loop)
    }

    func takeLogLine(for request: Request, on loop: isolated EventLoop) -> Bool {
        loop.takeLogLine(for: request)
    }

    /// Logs why a handler failed; most clients are told only that it did.
    func log(_ error: any Error, for request: Request, on loop: isolated EventLoop) {
        loop.failureCauses.note("\(error)", of: request)
        guard loop.takeLogLine(for: request) else { return }
        var metadata = request.logMetadata
        metadata["error"] = "\(error)"
        logger.error("handler failed", metadata: metadata)
    }

    /// Counts a connection that is refused, and logs why.
    private func refuse(
        _ credentials: Credentials, of name: AccountName, _ excess: Excess, on loop: isolated EventLoop
    ) {
        connectionCounts.refused += 1
        guard let count = refusals[excess.share, default: RefusalLogs()].add(of: name, at: loop.now) else { return }
        let whose = excess.account == nil ? "" : " of a user"
        logger.warning(
            "connection refused: too many connections\(whose)",
            metadata: [
                "peer.uid": "\(credentials.userID)", "peer.pid": "\(credentials.processID)",
                "limit": "\(excess.limit)", "limit.setting": "\(excess.setting)", "refused.count": "\(count)",
            ])
    }

    /// Logs that a connection ends because of what its client sends, or does not read.
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
    /// The fault as an error of the client's.
    var error: CallbackError {
        switch self {
        case .excess(let excess): CallbackError(.tooMany, excess.description)
        case .unfinished(let limit):
            CallbackError(.timedOut, "The message was not completed within \(limit) (limits: message-time).")
        case .descriptors: CallbackError(.malformed, "File descriptors must not be passed over this socket.")
        }
    }

    /// What the log says of it.
    fileprivate var reason: String { error.message }
}
