import Logging
import XCallbackBuiltIns
import XCallbackEventLoop
import XCallbackPipeline
import XCallbackURL

/// What the sessions of a daemon share; it lives on the event loop.
final class RequestService: LoopService {
    /// What one user has in use.
    private struct Use {
        var connections = 0
        var requests = 0
    }

    let limits: Limits
    /// What answers requests.
    var answerer: RequestAnswerer

    private let maximumConnections: Int
    private let logger: Logger
    private let announcer: Announcer
    private var uses: [UInt32: Use] = [:]
    /// The sessions whose requests wait.
    private var waiting: [ConnectionID: ClientSession] = [:]
    private var refusals = RefusalLog()
    private var userRefusals = RefusalLog()
    private var acceptFailures = RefusalLog()
    private var isStopping = false
    /// Whether requests that wait are answered at once, as the time to stop is over.
    private(set) var isOutOfTime = false

    /// Creates the service of a configuration.
    init(_ parts: ServiceParts) {
        answerer = RequestAnswerer(parts.configuration)
        limits = parts.configuration.limits
        maximumConnections = min(limits.connections, max(parts.descriptorLimit - DescriptorLimit.spare, 1))
        announcer = parts.announcer
        logger = parts.logger
    }

    func open(
        _ connection: ConnectionID, from credentials: Credentials, on loop: isolated EventLoop
    ) -> (any Session)? {
        guard loop.connectionCount <= maximumConnections else {
            if let count = refusals.add(at: loop.now) {
                log("too many connections", credentials, limit: maximumConnections, "connections", count)
            }
            return nil
        }
        guard uses[credentials.userID, default: Use()].connections < limits.connectionsPerUser else {
            if let count = userRefusals.add(at: loop.now) {
                log(
                    "too many connections of a user", credentials, limit: limits.connectionsPerUser,
                    "connections-per-user", count)
            }
            return nil
        }
        uses[credentials.userID, default: Use()].connections += 1
        return ClientSession(connection, from: Peer(credentials), service: self)
    }

    func receive(signal: Int32, on loop: isolated EventLoop) {
        // Who asks twice does not want to wait.
        if isStopping { return loop.stop() }
        isStopping = true
        announcer.stopping(
            waitingCount: waiting.count, answerCount: answerer.answerCount, errorCount: answerer.errorCount)
        loop.drain()
        loop.setServiceDeadline(after: limits.drainTime)
        if loop.connectionCount == 0 { loop.stop() }
    }

    func deadlinePassed(on loop: isolated EventLoop) {
        if isOutOfTime || waiting.isEmpty { return loop.stop() }
        isOutOfTime = true
        // Their answers get a moment to be read.
        for session in waiting.values { session.interrupt(with: .error(.shuttingDown), on: loop) }
        loop.setServiceDeadline(after: .seconds(1))
    }

    func acceptFailed(_ error: SystemError, on loop: isolated EventLoop) {
        guard let count = acceptFailures.add(at: loop.now) else { return }
        logger.warning(
            "cannot accept connections for a moment", metadata: ["error": "\(error)", "failure.count": "\(count)"])
    }

    /// Hears that a connection is closed.
    func close(_ peer: Peer, _ id: ConnectionID, on loop: isolated EventLoop) {
        waiting[id] = nil
        change(peer) { $0.connections -= 1 }
        if isStopping, loop.connectionCount == 0 { loop.stop() }
    }

    /// Counts a request that begins to wait; false if its user has too many.
    func beginWaiting(_ session: ClientSession, _ id: ConnectionID, _ peer: Peer) -> Bool {
        waiting[id] = session
        var isWithinLimit = true
        change(peer) { use in
            use.requests += 1
            isWithinLimit = use.requests <= limits.requestsPerUser
        }
        return isWithinLimit
    }

    /// Counts a request that no longer waits.
    func endWaiting(_ id: ConnectionID, _ peer: Peer) {
        waiting[id] = nil
        change(peer) { $0.requests -= 1 }
    }

    private func change(_ peer: Peer, _ body: (inout Use) -> Void) {
        var use = uses[peer.userID] ?? Use()
        body(&use)
        uses[peer.userID] = use.connections == 0 && use.requests == 0 ? nil : use
    }

    /// Logs why a handler failed; the client is told only that it did.
    func log(_ error: any Error, of route: String) {
        logger.error("handler failed", metadata: ["route.pattern": "\(route)", "error": "\(error)"])
    }

    private func log(
        _ reason: String, _ credentials: Credentials, limit: Int, _ setting: String, _ count: Int
    ) {
        logger.warning(
            "connection refused: \(reason)",
            metadata: [
                "peer.uid": "\(credentials.userID)", "peer.pid": "\(credentials.processID)",
                "limit": "\(limit)", "limit.setting": "limits: \(setting)", "refused.count": "\(count)",
            ])
    }
}

extension Peer {
    init(_ credentials: Credentials) {
        self.init(
            userID: credentials.userID, groupID: credentials.groupID, processID: credentials.processID)
    }
}
