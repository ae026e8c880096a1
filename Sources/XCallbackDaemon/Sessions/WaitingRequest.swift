import XCallbackEventLoop
import XCallbackPipeline

/// A request whose handler, or another stage, is async.
///
/// A state machine: each event returns the necessary actions. It owns the timeout, which ends with the wait: the answer
/// can be written much later, because the client must first read the preceding answers.
struct WaitingRequest: ~Copyable {
    /// The work in progress for a stage.
    enum Work {
        case task(Task<Void, Never>)
        case delivery(Delivery)
    }

    private enum Phase {
        /// A stage is in progress, or the next one is about to begin.
        case waiting(stage: Int?, Work?, timer: DelayedCall)
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
    private let byteCount: Int
    /// The number of the request for monitoring clients.
    let number: Int
    /// The time at which the wait began.
    let start: Duration
    /// The time at which the request times out, unless a stage with a separate timeout is in progress.
    private(set) var deadline: Duration
    private var phase: Phase

    init(
        answer: consuming PendingAnswer, held: SuspendedExecution, pipeline: Pipeline, account: Account?,
        byteCount: Int,
        number: Int,
        start: Duration, deadline: Duration, timer: DelayedCall
    ) {
        self.answer = answer
        self.held = held
        self.pipeline = pipeline
        self.account = account
        self.byteCount = byteCount
        self.number = number
        self.start = start
        self.deadline = deadline
        phase = .waiting(stage: nil, nil, timer: timer)
    }

    /// Whether the response is known.
    var isDone: Bool { if case .done = phase { true } else { false } }

    /// The stage in progress; nil if there is none.
    var stage: Int? { if case .waiting(let stage, _, _) = phase { stage } else { nil } }

    /// Starts a stage, unless the wait has ended.
    ///
    /// - Parameter stage: The number of the stage, unique within the session.
    mutating func begin(stage: Int) {
        guard case .waiting(_, _, let timer) = phase else { return }
        phase = .waiting(stage: stage, nil, timer: timer)
    }

    /// Records the work for a stage, if the stage is still in progress.
    mutating func begin(_ work: Work, for stage: Int) {
        guard case .waiting(stage, _, let timer) = phase else { return }
        phase = .waiting(stage: stage, work, timer: timer)
    }

    /// Ends a stage.
    ///
    /// - Returns: Whether the stage was in progress; otherwise, for example after a timeout, its result is ignored.
    mutating func end(stage: Int) -> Bool {
        guard case .waiting(stage, _, let timer) = phase else { return false }
        phase = .waiting(stage: nil, nil, timer: timer)
        return true
    }

    /// Gives back what the account holds for the request.
    ///
    /// - Parameter isLeft: Whether the account still holds the request, for a receiver.
    mutating func release(isLeft: Bool = false) {
        account?.give(.bytes, byteCount)
        if !isLeft { account?.give(.requests) }
        account = nil
    }

    /// Replaces the timeout.
    ///
    /// - Parameters:
    ///   - timer: The new timer.
    ///   - deadline: The new time at which the request times out; nil to keep the current one.
    /// - Returns: The timer to cancel.
    mutating func replaceTimer(_ timer: DelayedCall, deadline: Duration? = nil) -> DelayedCall {
        guard case .waiting(let stage, let work, let old) = phase else { return timer }
        phase = .waiting(stage: stage, work, timer: timer)
        if let deadline { self.deadline = deadline }
        return old
    }

    /// Ends the wait.
    ///
    /// - Returns: The work in progress, and the timer to cancel; nil if the wait had already ended.
    mutating func end() -> (work: Work?, timer: DelayedCall)? {
        guard case .waiting(_, let work, let timer) = phase else { return nil }
        phase = .done
        return (work, timer)
    }
}

/// A waiting execution, stored in place until it continues: it is large, and each step would move it.
final class SuspendedExecution {
    var execution = Execution(peer: Peer(userID: 0, groupID: 0, processID: 0), origin: .socket)
}
