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

extension RequestService {
    /// Reports that the daemon serves, and starts the watchdog notifications.
    func begin(on loop: isolated EventLoop) {
        let status = status(on: loop)
        if status.isOut { announcer.reportOutage(status) } else { announcer.ready(status) }
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
        case .status: announcer.report(status(on: loop), at: loop.now)
        case .watchdog:
            announcer.pingWatchdog()
            if let pause = announcer.watchdogPause { loop.setDeadline(.watchdog, after: pause) }
        default: break
        }
    }

    /// Schedules a status report soon after a change; the loop does not wake up for it before.
    func noteActivity(on loop: isolated EventLoop) {
        if let delay = announcer.planReport(at: loop.now) { loop.setDeadline(.status, after: delay) }
    }

    func status(on loop: isolated EventLoop) -> ServiceStatus {
        var status = ServiceStatus(socket: site.socket)
        status.agentSocket = site.agentSocket
        status.isStopping = life.isStopping
        status.routeCount = configuration.routeCount
        status.connectionCount = loop.connectionCount
        status.waitingCount = waitingCount
        status.answerCount = answerer.answers.all
        status.errorCount = answerer.answers.errors
        status.faultCount = served.faultCount
        status.isOut = served.outage != nil
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
        served.add(waiter)
        perform(life.receive(signal: SIGHUP), on: loop)
    }

    private func reload(on loop: isolated EventLoop) {
        served.beginReload()
        announcer.reloading()
        Task.immediate(executorPreference: loop.executor) {
            do throws(SystemError) {
                endReload(try await served.loader.load(after: configuration), on: loop)
            } catch {
                announcer.logger.error("not reloaded", metadata: ["error": "\(error)"])
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
        let isFailure = if case .loaded? = outcome { false } else { true }
        let waiters = served.endReload(isFailure: isFailure)
        switch outcome {
        case .loaded(let new, let difference)?:
            served.faultCount = 0
            served.outage = nil
            replaceConfiguration(with: new, difference, on: loop)
            announcer.reloaded(difference, status(on: loop))
        case .failed(let error)?:
            served.faultCount = error.count
            if served.outage != nil {
                served.outage = error
                replaceConfiguration(with: RouterConfiguration(standingInFor: error), on: loop)
            }
            announcer.reloadFailed(status(on: loop))
        case nil: announcer.notifyReady(status(on: loop))
        }
        for waiter in waiters { waiter.resume(returning: outcome) }
        perform(next, on: loop)
    }
}

// MARK: - Stopping

extension RequestService {
    var isStopping: Bool { life.isStopping }

    var isOutOfTime: Bool { stopping.isOutOfTime }

    /// How long clients may take to read the rest of a stream; a slow reader must not delay a restart.
    private static let streamGrace = Duration.seconds(1)

    /// The maximum number of users named in the log when their clients get no answers.
    private static let userLimit = 8

    private func drain(on loop: isolated EventLoop) {
        announcer.stopping(status(on: loop))
        served.endWaits()
        streams.stop(on: loop)
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
        stopping.isOutOfTime = true
        // Clients get a moment to read their last answers, including those of this turn.
        for session in waitingSessions(on: loop) {
            stopping.lostClients[session.id] = session.peer.userID
            session.interrupt(with: .error(.shuttingDown), on: loop)
        }
        for session in clientSessions(on: loop) { session.stopJob(on: loop) }
        loop.setDeadline(.drain, after: .seconds(1))
    }

    /// Stops the loop if the daemon stops and no client is connected.
    func stopIfIdle(on loop: isolated EventLoop) {
        guard life.isStopping, loop.isDrained else { return }
        // The deadline would stop the loop a second time, and so kill programs that have been asked to end.
        loop.setDeadline(.drain, after: nil)
        stop(on: loop)
    }

    /// Stops the loop, whatever is still in progress.
    func stop(on loop: isolated EventLoop) {
        for (session, hasInput) in loop.endSessions() {
            // A stream ends at any time, but requests queued behind it still need answers.
            guard let session = session as? ClientSession, hasInput || !session.isStreaming else { continue }
            stopping.lostClients[session.id] = session.peer.userID
        }
        if !stopping.lostClients.isEmpty {
            let userIDs = Set(stopping.lostClients.values).sorted()
            let told = userIDs.prefix(Self.userLimit).map { "\($0)" }.joined(separator: ",")
            endIncomplete(
                "ended before all requests were answered",
                [
                    "client.count": "\(stopping.lostClients.count)",
                    "client.uids": "\(told)\(userIDs.count > Self.userLimit ? ",…" : "")",
                ])
            stopping.lostClients = [:]
        }
        if loop.mayHaveUnaccepted { endIncomplete("ended while clients may have waited to be accepted", [:]) }
        stopping.ending.keep(configuration.pipeline)
        loop.stop()
    }

    private func endIncomplete(_ sentence: Logger.Message, _ metadata: Logger.Metadata) {
        announcer.logger.warning(sentence, metadata: metadata)
        stopping.ending.isIncomplete = true
    }
}

/// What a stopping service knows.
struct ServiceStop {
    /// Whether waiting requests are answered at once, because the time to stop is over.
    var isOutOfTime = false
    /// The clients that got no answer because the daemon stopped, and their users.
    var lostClients: [ConnectionID: UInt32] = [:]
    let ending: DaemonEnding

    init(_ ending: DaemonEnding) {
        self.ending = ending
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
