import XCallbackEventLoop
import XCallbackRouter

/// A request whose handler, or another stage, is async.
///
/// A state machine: each event returns the necessary actions. It owns the clock of the request, which ends with the wait:
/// the answer can be written much later, because the client must first read the preceding answers.
struct WaitingRequest: ~Copyable {
    /// The work in progress for a stage.
    enum Work {
        case task(Task<Void, Never>)
        case delivery(Delivery)
    }

    /// A stage in progress.
    struct Stage {
        /// Unique within the session.
        let number: Int
        let start: Duration
        /// Whether the stage has a timeout of its own, so that the clock of the request stops.
        let stopsClock: Bool
        var timer: DelayedCall
        var work: Work?
    }

    enum Phase {
        case betweenStages
        case running(Stage)
        /// The response is known, and the answer is not written yet.
        case done
    }

    let answer: PendingAnswer
    let held: SuspendedExecution
    let pipeline: Pipeline
    /// The account that holds the request; nil if its limit was exceeded, or if it now holds the request for a
    /// receiver.
    private(set) var account: Account?
    /// The number of bytes of its URL, which count toward the account.
    let byteCount: Int
    /// The number of the request for monitoring clients.
    let number: Int
    /// The time at which the wait began.
    let start: Duration
    /// The time that is left for all stages without a timeout of their own.
    private(set) var timeLeft: Duration
    /// The time that a stage without a timeout of its own has from its start, or from its last progress; nil for no limit.
    private(set) var idleTimeout: Duration?
    /// The route whose limits these are.
    private(set) var limitedRoute: Route?
    private(set) var phase = Phase.betweenStages
    /// The newest progress, until it is sent.
    private(set) var progress: RequestProgress?
    /// The time from which progress can be sent.
    private(set) var progressTime = Duration.zero
    /// The least time between two replies with progress.
    private static let progressPause = Duration.milliseconds(250)

    /// Whether the response is known.
    var isDone: Bool { if case .done = phase { true } else { false } }

    /// The number of the stage in progress; nil if there is none.
    var stage: Int? { if case .running(let stage) = phase { stage.number } else { nil } }

    /// Begins the limits of the route that the request has now, which a redirect has changed.
    mutating func use(_ timeout: Duration, idle: Duration?, of route: Route?) {
        (timeLeft, idleTimeout, limitedRoute) = (timeout, idle, route)
    }

    /// Starts a stage.
    ///
    /// - Parameters:
    ///   - number: The number of the stage, unique within the session.
    ///   - limit: The stage's own timeout; nil if it has none.
    ///   - now: The current time.
    ///   - makeTimer: Makes the timer that ends the request after a time.
    /// - Returns: The time that the stage has.
    mutating func begin(
        stage number: Int, limit: Duration?, at now: Duration, _ makeTimer: (Duration) -> DelayedCall
    ) -> Duration {
        let time = limit ?? min(timeLeft, idleTimeout ?? timeLeft)
        phase = .running(Stage(number: number, start: now, stopsClock: limit != nil, timer: makeTimer(time)))
        return time
    }

    /// Records the work for a stage, if the stage is still in progress.
    mutating func record(_ work: Work, for number: Int) {
        guard case .running(var stage) = phase, stage.number == number else { return }
        stage.work = work
        phase = .running(stage)
    }

    /// Lets the idle time of the stage in progress begin again.
    ///
    /// - Returns: The timer to cancel; nil if there is no idle time.
    mutating func renew(at now: Duration, _ makeTimer: (Duration) -> DelayedCall) -> DelayedCall? {
        guard let idleTimeout, case .running(var stage) = phase, !stage.stopsClock else { return nil }
        let timer = stage.timer
        stage.timer = makeTimer(max(min(idleTimeout, timeLeft - (now - stage.start)), .zero))
        phase = .running(stage)
        return timer
    }

    /// Whether the stage in progress has time left, but not its idle time.
    func isIdle(at now: Duration) -> Bool {
        guard idleTimeout != nil, case .running(let stage) = phase else { return false }
        return !stage.stopsClock && now - stage.start < timeLeft
    }

    /// Ends a stage.
    ///
    /// - Returns: The timer to cancel; nil if the stage was not in progress, for example after a timeout: its result is
    ///   ignored.
    mutating func end(stage number: Int, at now: Duration) -> DelayedCall? {
        guard case .running(let stage) = phase, stage.number == number else { return nil }
        if !stage.stopsClock { timeLeft -= now - stage.start }
        phase = .betweenStages
        return stage.timer
    }

    /// Ends the wait.
    ///
    /// - Returns: The work in progress and the timer to cancel, if there are any; nil if the wait had already ended.
    mutating func end() -> (work: Work?, timer: DelayedCall?)? {
        defer { phase = .done }
        switch phase {
        case .betweenStages: return (nil, nil)
        case .running(let stage): return (stage.work, stage.timer)
        case .done: return nil
        }
    }

    /// Keeps progress in place of any that is not sent, and counts it toward the account.
    ///
    /// - Returns: The time after which it can be sent; nil if it replaces other progress, or if nothing follows it.
    mutating func keep(_ new: RequestProgress, at now: Duration) -> Duration? {
        guard case .running = phase else { return nil }
        let isFirst = dropProgress() == nil
        account?.hold(.bytes, new.byteCount)
        progress = new
        return isFirst ? max(progressTime - now, .zero) : nil
    }

    /// Returns the newest progress, if it can be sent now.
    mutating func takeProgress(at now: Duration) -> RequestProgress? {
        guard !isDone, now >= progressTime, let progress = dropProgress() else { return nil }
        progressTime = now + Self.progressPause
        return progress
    }

    @discardableResult
    private mutating func dropProgress() -> RequestProgress? {
        if let progress { account?.give(.bytes, progress.byteCount) }
        return progress.take()
    }

    /// Gives back what the account holds for the request.
    ///
    /// - Parameter isLeft: Whether the account still holds the request, for a receiver.
    mutating func release(isLeft: Bool = false) {
        dropProgress()
        account?.give(.bytes, byteCount)
        if !isLeft { account?.give(.requests) }
        account = nil
    }
}

/// A waiting execution, stored in place until it continues: it is large, and each step would move it.
final class SuspendedExecution {
    var execution = Execution(peer: Peer(userID: 0, groupID: 0, processID: 0), origin: .socket)
}
