import XCallbackEventLoop
import XCallbackPipeline

/// A request whose handler, or another stage, is async.
///
/// A state machine: each event returns what must be done. It owns the timeout, which ends with the wait: the answer can be
/// written much later, because the client must read the answers before it first.
struct WaitingRequest: ~Copyable {
    /// Where the request is.
    enum State: String, MachineState {
        /// A stage is in progress.
        case waiting
        /// The response is known, and the answer is not written yet.
        case done
        /// The answer is written, or the client has left.
        case written

        /// What can happen to the request.
        enum Event: String, CaseIterable {
            /// A stage ends, and another one follows.
            case proceed
            /// The last stage ends.
            case finish
            /// The request times out, its client disconnects, or the daemon stops.
            case interrupt
            /// The answer is written.
            case write
        }

        func after(_ event: Event) -> State? {
            switch (self, event) {
            case (.waiting, .proceed): .waiting
            case (.waiting, .finish), (.waiting, .interrupt): .done
            case (.done, .write): .written
            default: nil
            }
        }
    }

    /// What works for a stage.
    enum Work {
        case task(Task<Void, Never>)
        case delivery(DeliveryTable.Place)
    }

    /// What is in progress when the wait ends.
    struct Remainder {
        let work: Work?
        let timer: DelayedCall
    }

    private enum Phase {
        case waiting(stage: Int?, Work?, timer: DelayedCall)
        case done

        var state: State { if case .done = self { .done } else { .waiting } }
    }

    let answer: PendingAnswer
    let held: HeldWalk
    let pipeline: Pipeline
    /// The account that holds the request; nil if it has reached its limit, or holds it for a receiver by now.
    var account: Account?
    /// Its number for clients that watch.
    let number: Int
    /// When it began to wait.
    let start: Duration
    /// When it times out, unless a stage with a limit of its own is in progress.
    private(set) var deadline: Duration
    private var phase: Phase {
        didSet { assert(oldValue.state.leads(to: phase.state)) }
    }

    init(
        answer: consuming PendingAnswer, held: HeldWalk, pipeline: Pipeline, account: Account?, number: Int,
        start: Duration, deadline: Duration, timer: DelayedCall
    ) {
        self.answer = answer
        self.held = held
        self.pipeline = pipeline
        self.account = account
        self.number = number
        self.start = start
        self.deadline = deadline
        phase = .waiting(stage: nil, nil, timer: timer)
    }

    /// Whether the response is known.
    var isDone: Bool { if case .done = phase { true } else { false } }

    /// The stage in progress; nil if there is none at the moment.
    var stage: Int? { if case .waiting(let stage, _, _) = phase { stage } else { nil } }

    /// Begins a stage, unless the wait has ended.
    ///
    /// - Parameter stage: Its number, which no other stage of the session has.
    mutating func begin(stage: Int) {
        guard case .waiting(_, _, let timer) = phase else { return }
        phase = .waiting(stage: stage, nil, timer: timer)
    }

    /// Notes what works for a stage, if that is still in progress.
    mutating func begin(_ work: Work, for stage: Int) {
        guard case .waiting(stage, _, let timer) = phase else { return }
        phase = .waiting(stage: stage, work, timer: timer)
    }

    /// Ends a stage.
    ///
    /// - Returns: Whether it was in progress; after a timeout, for example, its outcome is ignored.
    mutating func end(stage: Int) -> Bool {
        guard case .waiting(stage, _, let timer) = phase else { return false }
        phase = .waiting(stage: nil, nil, timer: timer)
        return true
    }

    /// Replaces the timeout.
    ///
    /// - Parameters:
    ///   - timer: The new one.
    ///   - deadline: When the request times out from now on; nil if that stays.
    /// - Returns: The one to cancel.
    mutating func replaceTimer(_ timer: DelayedCall, deadline: Duration? = nil) -> DelayedCall {
        guard case .waiting(let stage, let work, let old) = phase else { return timer }
        phase = .waiting(stage: stage, work, timer: timer)
        if let deadline { self.deadline = deadline }
        return old
    }

    /// Ends the wait.
    ///
    /// - Returns: What is in progress; nil if the wait has ended before.
    mutating func end() -> Remainder? {
        guard case .waiting(_, let work, let timer) = phase else { return nil }
        phase = .done
        return Remainder(work: work, timer: timer)
    }
}

/// A walk that waits, where it stays until it goes on: it is large, and would be moved with each step.
final class HeldWalk {
    var walk = Walk(peer: Peer(userID: 0, groupID: 0, processID: 0), origin: .socket)
}
