import Glibc
import Logging
import Synchronization
import XCallbackBuiltIns
import XCallbackConfiguration
import XCallbackEventLoop
import XCallbackLinux
import XCallbackPipeline
import XCallbackPrograms
import XCallbackURL

extension ServiceDeadline {
    /// The time for the requests in progress is over.
    static let drain = Self(rawValue: 0)
    /// Time to ask the manager for more time to stop.
    static let finishing = Self(rawValue: 1)
    /// Time to report the status to the manager.
    static let status = Self(rawValue: 2)
    /// Time to notify the watchdog.
    static let watchdog = Self(rawValue: 3)
}

/// A caller that waits for the outcome of a reload; nil if the daemon stops before, or has no thread for it.
typealias ReloadWaiter = CheckedContinuation<ConfigurationLoader.Outcome?, Never>

extension RequestService {
    /// The delay before the status shows a change, and the minimum time between two status reports.
    private static let statusDelay = Duration.seconds(1)
    private static let statusPause = Duration.seconds(10)

    /// Reports that the daemon serves, and starts the watchdog notifications.
    func begin(on loop: isolated EventLoop) {
        let status = status(on: loop)
        if status.isOut { announcer.out(status) } else { announcer.ready(status) }
        if let pause = announcer.watchdogPause { loop.setDeadline(.watchdog, after: pause) }
    }

    func receive(signal: Int32, on loop: isolated EventLoop) {
        perform(life.receive(signal: signal), on: loop)
    }

    func deadlinePassed(_ deadline: ServiceDeadline, on loop: isolated EventLoop) {
        switch deadline {
        case .drain: endDrain(on: loop)
        case .finishing:
            announcer.finishing(status(on: loop))
            loop.setDeadline(.finishing, after: Announcer.extensionTime)
        case .status: reportStatus(on: loop)
        case .watchdog:
            announcer.live()
            if let pause = announcer.watchdogPause { loop.setDeadline(.watchdog, after: pause) }
        default: break
        }
    }

    /// Schedules a status report soon after a change; the loop does not wake up for it before.
    func noteActivity(on loop: isolated EventLoop) {
        if isStatusPlanned { return }
        isStatusPlanned = true
        loop.setDeadline(.status, after: max(Self.statusDelay, nextStatusTime - loop.now))
    }

    private func reportStatus(on loop: isolated EventLoop) {
        isStatusPlanned = false
        guard !life.isStopping else { return }
        nextStatusTime = loop.now + Self.statusPause
        announcer.report(status(on: loop))
    }

    func status(on loop: isolated EventLoop) -> ServiceStatus {
        var status = ServiceStatus(socket: socket)
        status.agentSocket = agentSocket
        status.isStopping = life.isStopping
        status.routeCount = configuration.routeCount
        status.connectionCount = loop.connectionCount
        status.waitingCount = waitingCount
        status.answerCount = answerer.answers.all
        status.errorCount = answerer.answers.errors
        status.faultCount = faultCount
        status.isOut = outage != nil
        return status
    }

    private func perform(_ step: LifeCycle.Step, on loop: isolated EventLoop) {
        switch step {
        case .reload: reload(on: loop)
        case .drain: drain(on: loop)
        case .stop: stop(on: loop)
        case .nothing: break
        }
    }
}

// MARK: - Reloading

extension RequestService {
    /// Adds a caller that waits for the next reload, and starts the reload.
    func reload(_ waiter: ReloadWaiter, on loop: isolated EventLoop) {
        guard !life.isStopping else { return waiter.resume(returning: nil) }
        reloadWaiters.next.append(waiter)
        perform(life.receive(signal: SIGHUP), on: loop)
    }

    private func reload(on loop: isolated EventLoop) {
        reloadWaiters = (reloadWaiters.next, [])
        announcer.reloading()
        Task.immediate(executorPreference: loop.executor) {
            do throws(SystemError) {
                endReload(try await loader.load(after: configuration), on: loop)
            } catch {
                announcer.logger.error("not reloaded", metadata: ["error": "\(error)"])
                endReload(nil, on: loop)
            }
            // Only now: the outcome still holds routes that are no longer in use.
            loader.giveMemoryBack()
        }
    }

    /// Ends the wait of all callers for a reload.
    private func endReloadWaits() {
        let waiters = reloadWaiters.now + reloadWaiters.next
        reloadWaiters = ([], [])
        for waiter in waiters { waiter.resume(returning: nil) }
    }

    /// Ends a reload with its outcome; nil if it has not begun.
    private func endReload(_ outcome: ConfigurationLoader.Outcome?, on loop: isolated EventLoop) {
        let next = life.endReload()
        let waiters = reloadWaiters.now
        reloadWaiters.now = []
        if life.isStopping { return }
        reloadCounts.all += 1
        switch outcome {
        case .loaded(let new, let difference)?:
            faultCount = 0
            outage = nil
            replaceConfiguration(with: new, difference, on: loop)
            announcer.reloaded(difference, status(on: loop))
        case .failed(let error)?:
            reloadCounts.failed += 1
            faultCount = error.count
            if outage != nil {
                outage = error
                replaceConfiguration(with: RouterConfiguration(standingInFor: error), on: loop)
            }
            announcer.reloadFailed(status(on: loop))
        case nil:
            reloadCounts.failed += 1
            announcer.tellReady(status(on: loop))
        }
        for waiter in waiters { waiter.resume(returning: outcome) }
        perform(next, on: loop)
    }
}

// MARK: - Stopping

extension RequestService {
    /// How long clients may take to read the rest of a stream; a slow reader must not delay a restart.
    private static let streamGrace = Duration.seconds(1)

    /// The maximum number of users named in the log when their clients get no answers.
    private static let userLimit = 8

    private func drain(on loop: isolated EventLoop) {
        announcer.stopping(status(on: loop))
        endReloadWaits()
        for stream in streams.values { stream.end(with: .stopping) }
        receivers.stop(on: loop)
        for session in waitingSessions(on: loop) { session.prepareForStop(on: loop) }
        loop.drain()
        if loop.isEnding { return }
        if loop.isDrained { return stop(on: loop) }
        loop.setDeadline(.drain, after: limits.drainTime)
        deadlinePassed(.finishing, on: loop)
        loop.leaveDetachedPrograms()
        _ = loop.call(after: Self.streamGrace) { [unowned self] in
            for session in clientSessions(on: loop) where session.isStreaming { loop.closeUnlessAsked(session.id) }
        }
    }

    private func endDrain(on loop: isolated EventLoop) {
        if isOutOfTime { return stop(on: loop) }
        isOutOfTime = true
        // Clients get a moment to read their last answers, including those of this turn.
        for session in waitingSessions(on: loop) {
            lostClients[session.id] = session.peer.userID
            session.interrupt(with: .error(.shuttingDown), on: loop)
        }
        for session in clientSessions(on: loop) { session.stopJob(on: loop) }
        loop.setDeadline(.drain, after: .seconds(1))
    }

    /// Stops the loop, whatever is still in progress.
    func stop(on loop: isolated EventLoop) {
        for (session, hasInput) in loop.endSessions() {
            // A stream ends at any time, but requests queued behind it still need answers.
            guard let session = session as? ClientSession, hasInput || !session.isStreaming else { continue }
            lostClients[session.id] = session.peer.userID
        }
        if !lostClients.isEmpty {
            let userIDs = Set(lostClients.values).sorted()
            let told = userIDs.prefix(Self.userLimit).map { "\($0)" }.joined(separator: ",")
            endIncomplete(
                "ended before all requests were answered",
                [
                    "client.count": "\(lostClients.count)",
                    "client.uids": "\(told)\(userIDs.count > Self.userLimit ? ",…" : "")",
                ])
            lostClients = [:]
        }
        if loop.mayHaveUnaccepted { endIncomplete("ended while clients may have waited to be accepted", [:]) }
        ending.keep(configuration.pipeline)
        loop.stop()
    }

    private func endIncomplete(_ sentence: Logger.Message, _ metadata: Logger.Metadata) {
        announcer.logger.warning(sentence, metadata: metadata)
        ending.isIncomplete = true
    }
}

/// How the daemon ended.
package final class DaemonEnding: Sendable {
    private let incomplete = Atomic(false)
    private let pipeline = Mutex<Pipeline?>(nil)

    /// Keeps the last routes, so that they outlive their service.
    func keep(_ pipeline: Pipeline) {
        self.pipeline.withLock { $0 = pipeline }
    }

    /// Whether requests did not get their answers, or may not have.
    package internal(set) var isIncomplete: Bool {
        get { incomplete.load(ordering: .relaxed) }
        set { incomplete.store(newValue, ordering: .relaxed) }
    }
}
