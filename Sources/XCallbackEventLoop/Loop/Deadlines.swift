import CLinux
import Glibc
import XCallbackLinux

/// The deadlines of a loop, and the timer in its epoll set for the earliest of them.
struct Deadlines: ~Copyable {
    typealias ID = DeadlineHeap<Purpose>.ID

    /// What a deadline is for.
    enum Purpose {
        case accepting
        case silence(ConnectionID)
        case message(ConnectionID)
        case service(ServiceDeadline)
        case child(ChildID)
        case call(() -> Void)
    }

    private var heap = DeadlineHeap<Purpose>()
    private let timer: Descriptor
    private var armedTime = Int64.max
    /// The deadlines of the service that are pending.
    private var ofService: [ServiceDeadline: ID] = [:]

    init() throws(SystemError) {
        timer = Descriptor(
            try SystemError.check("timerfd_create") { xcb_timer(CLOCK_MONOTONIC, Int32(TFD_NONBLOCK | TFD_CLOEXEC)) })
    }

    /// The descriptor of the timer.
    var descriptor: Int32 { timer.number }

    /// The number of pending deadlines.
    var count: Int { heap.count }

    mutating func add(_ purpose: Purpose, at time: Int64) -> ID { heap.add(purpose, at: time) }

    /// Cancels a deadline; does nothing if it is already due or cancelled.
    mutating func cancel(_ id: ID) { heap.cancel(id) }

    /// Sets a deadline of the service, or cancels it if there is no time.
    mutating func set(_ deadline: ServiceDeadline, at time: Int64?) {
        if let old = ofService.removeValue(forKey: deadline) { heap.cancel(old) }
        if let time { ofService[deadline] = heap.add(.service(deadline), at: time) }
    }

    /// Removes the earliest deadline and returns its purpose if it is due.
    mutating func takeDue(at now: Int64) -> Purpose? {
        let due = heap.takeDue(at: now)
        if case .service(let deadline)? = due { ofService[deadline] = nil }
        return due
    }

    /// Sets the timer if the next deadline is earlier than the current setting.
    mutating func armTimer() {
        guard let next = heap.nextTime, next < armedTime else { return }
        var setting = itimerspec()
        setting.it_value.tv_sec = Int(next / 1_000_000_000)
        setting.it_value.tv_nsec = Int(next % 1_000_000_000)
        // Cannot fail: the descriptor is a timer and the time is valid.
        _ = xcb_timer_set(timer.number, Int32(TFD_TIMER_ABSTIME), &setting)
        armedTime = next
    }

    /// Handles the event of the timer.
    mutating func readTimer() {
        var expirations: UInt64 = 0
        _ = xcb_read(timer.number, &expirations, MemoryLayout<UInt64>.size)
        armedTime = .max
    }
}

/// Identifies a call that the loop will make.
package struct DelayedCall: Sendable {
    fileprivate let id: Deadlines.ID
}

extension EventLoop {
    /// The number of pending deadlines.
    package var deadlineCount: Int { deadlines.count }

    /// Sets a deadline of the service, or cancels it.
    package func setDeadline(_ deadline: ServiceDeadline, after delay: Duration?) {
        deadlines.set(deadline, at: delay.map { time + nanoseconds($0) })
        armTimer()
    }

    /// Calls a function on the loop after a delay.
    ///
    /// - Parameters:
    ///   - delay: The delay.
    ///   - body: The function; not called if the loop ends before.
    /// - Returns: A value with which the call can be cancelled.
    package func call(after delay: Duration, _ body: @escaping () -> Void) -> DelayedCall {
        let id = deadlines.add(.call(body), at: time + nanoseconds(delay))
        armTimer()
        return DelayedCall(id: id)
    }

    /// Cancels a call; does nothing if the call was already made.
    package func cancel(_ call: DelayedCall) {
        deadlines.cancel(call.id)
    }

    /// Replaces a deadline with another one.
    func replaceDeadline(_ id: inout Deadlines.ID?, _ purpose: Deadlines.Purpose, after delay: Duration?) {
        if let old = id.take() { deadlines.cancel(old) }
        if let delay { id = deadlines.add(purpose, at: time + nanoseconds(delay)) }
    }

    func handleDeadlines(_ buffers: inout Buffers) {
        while let purpose = deadlines.takeDue(at: time) {
            switch purpose {
            case .accepting: resumeAccepting()
            case .silence(let id): if let connection = connections[id] { endSilence(of: connection) }
            case .message(let id): if let connection = connections[id] { endMessage(of: connection, &buffers) }
            case .child(let id): deadlinePassed(of: id)
            case .call(let body): body()
            case .service(let deadline): service?.deadlinePassed(deadline, on: self)
            }
        }
    }
}
