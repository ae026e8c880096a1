import CLinux
import Glibc
import XCallbackLinux
import XCallbackWire

/// The deadlines of a loop, and the timer in its epoll set for the earliest of them.
struct Deadlines: ~Copyable {
    typealias ID = DeadlineHeap<Purpose>.ID

    /// What a deadline is for.
    enum Purpose {
        case connection(ConnectionID)
        case child(ChildID)
        case call(() -> Void)
    }

    private var heap = DeadlineHeap<Purpose>()
    private let timer: Descriptor
    private var armedTime = Int64.max

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

    /// Removes the earliest deadline and returns its purpose if it is due.
    mutating func takeDue(at now: Int64) -> Purpose? { heap.takeDue(at: now) }

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

/// Deadlines in a binary heap: the earliest first; any deadline can be cancelled in logarithmic time.
package struct DeadlineHeap<Payload> {
    /// Identifies a deadline until it is due or cancelled.
    package struct ID: Hashable, Sendable {
        fileprivate let slot: Int
        fileprivate let generation: UInt32
    }

    private struct Slot {
        var generation: UInt32 = 0
        /// The index in the heap; -1 while the slot is free.
        var position = -1
        var time: Int64 = 0
        var payload: Payload?
    }

    private var slots: [Slot] = []
    private var freeSlots: [Int] = []
    /// Slots, ordered by time.
    private var heap: [Int] = []

    /// Creates a heap without deadlines.
    package init() {}

    /// The earliest time, in nanoseconds of the loop's clock; nil without deadlines.
    package var nextTime: Int64? { heap.first.map { slots[$0].time } }

    /// The number of deadlines.
    package var count: Int { heap.count }

    /// Adds a deadline.
    package mutating func add(_ payload: Payload, at time: Int64) -> ID {
        let slot = freeSlots.popLast() ?? slots.count
        if slot == slots.count { slots.append(Slot()) }
        slots[slot].time = time
        slots[slot].payload = payload
        slots[slot].position = heap.count
        heap.append(slot)
        siftUp(heap.count - 1)
        return ID(slot: slot, generation: slots[slot].generation)
    }

    /// Cancels a deadline; does nothing if it is already due or cancelled.
    package mutating func cancel(_ id: ID) {
        guard slots[id.slot].generation == id.generation, slots[id.slot].position >= 0 else { return }
        _ = removeEntry(at: slots[id.slot].position)
    }

    /// Removes the earliest deadline and returns its payload if it is due.
    package mutating func takeDue(at now: Int64) -> Payload? {
        guard let first = heap.first, slots[first].time <= now else { return nil }
        return removeEntry(at: 0)
    }

    private mutating func removeEntry(at position: Int) -> Payload? {
        let slot = heap[position]
        let last = heap.removeLast()
        if position < heap.count {
            place(last, at: position)
            siftUp(position)
            siftDown(slots[last].position)
        }
        slots[slot].position = -1
        slots[slot].generation &+= 1
        freeSlots.append(slot)
        return slots[slot].payload.take()
    }

    private mutating func siftUp(_ start: Int) {
        var position = start
        while position > 0 {
            let parent = (position - 1) / 2
            guard slots[heap[position]].time < slots[heap[parent]].time else { return }
            swap(position, parent)
            position = parent
        }
    }

    private mutating func siftDown(_ start: Int) {
        var position = start
        while true {
            var least = position
            for child in [2 * position + 1, 2 * position + 2] where child < heap.count {
                if slots[heap[child]].time < slots[heap[least]].time { least = child }
            }
            guard least != position else { return }
            swap(position, least)
            position = least
        }
    }

    private mutating func swap(_ first: Int, _ second: Int) {
        let slot = heap[first]
        place(heap[second], at: first)
        place(slot, at: second)
    }

    private mutating func place(_ slot: Int, at position: Int) {
        heap[position] = slot
        slots[slot].position = position
    }
}
