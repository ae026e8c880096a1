import CLinux
import Glibc
import XCallbackLinux
import XCallbackWire

/// The deadlines of a loop, and the timer in its epoll set for the earliest of them.
struct Deadlines: ~Copyable {
    typealias ID = DeadlineList<Purpose>.ID

    /// What a deadline is for.
    enum Purpose {
        case connection(ConnectionID)
        case child(ChildID)
        case call(() -> Void)
    }

    private var list = DeadlineList<Purpose>()
    private let timer: Descriptor
    private var armedTime = Int64.max

    init() throws(SystemError) {
        timer = Descriptor(
            try SystemError.check("timerfd_create") { xcb_timer(CLOCK_MONOTONIC, Int32(TFD_NONBLOCK | TFD_CLOEXEC)) })
    }

    /// The descriptor of the timer.
    var descriptor: Int32 { timer.number }

    /// The number of pending deadlines.
    var count: Int { list.count }

    mutating func add(_ purpose: Purpose, at time: Int64) -> ID { list.add(purpose, at: time) }

    /// Cancels a deadline; does nothing if it is already due or cancelled.
    mutating func cancel(_ id: ID) { list.cancel(id) }

    /// Removes the earliest deadline and returns its purpose if it is due.
    mutating func takeDue(at now: Int64) -> Purpose? { list.takeDue(at: now) }

    /// Sets the timer if the next deadline is earlier than the current setting.
    mutating func armTimer() {
        guard let next = list.nextTime, next < armedTime else { return }
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

    /// Calls a function on the loop after a delay.
    ///
    /// - Parameters:
    ///   - delay: The delay.
    ///   - body: The function; not called if the loop ends before.
    /// - Returns: A value with which the call can be cancelled.
    package func call(after delay: Duration, _ body: @escaping () -> Void) -> DelayedCall {
        let id = deadlines.add(.call(body), at: time + delay.wholeNanoseconds)
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
        if let delay { id = deadlines.add(purpose, at: time + delay.wholeNanoseconds) }
    }

    func handleDeadlines(_ buffers: inout Buffers) {
        while let purpose = deadlines.takeDue(at: time) {
            switch purpose {
            case .connection(let id): if let connection = connections[id] { deadlinePassed(of: connection, &buffers) }
            case .child(let id): deadlinePassed(of: id)
            case .call(let body): body()
            }
        }
    }
}

/// Deadlines, sorted by their times.
///
/// A loop has few thousands of them, and a new one is mostly among the latest: a search and a shift are enough.
package struct DeadlineList<Payload> {
    /// Identifies a deadline until it is due or cancelled.
    package struct ID: Hashable, Sendable {
        fileprivate let time: Int64
        fileprivate let number: UInt64
    }

    private var entries: [(id: ID, payload: Payload)] = []
    private var lastNumber: UInt64 = 0

    /// Creates a list without deadlines.
    package init() {}

    /// The earliest time, in nanoseconds of the loop's clock; nil without deadlines.
    package var nextTime: Int64? { entries.first?.id.time }

    /// The number of deadlines.
    package var count: Int { entries.count }

    /// Adds a deadline.
    package mutating func add(_ payload: Payload, at time: Int64) -> ID {
        lastNumber += 1
        let id = ID(time: time, number: lastNumber)
        entries.insert((id, payload), at: index(of: id))
        return id
    }

    /// Cancels a deadline; does nothing if it is already due or cancelled.
    package mutating func cancel(_ id: ID) {
        let index = index(of: id)
        if index < entries.count, entries[index].id == id { entries.remove(at: index) }
    }

    /// Removes the earliest deadline and returns its payload if it is due.
    package mutating func takeDue(at now: Int64) -> Payload? {
        guard let time = nextTime, time <= now else { return nil }
        return entries.removeFirst().payload
    }

    /// Returns where a deadline is, or would be.
    private func index(of id: ID) -> Int {
        var (low, high) = (0, entries.count)
        while low < high {
            let middle = (low + high) / 2
            let other = entries[middle].id
            if (other.time, other.number) < (id.time, id.number) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
