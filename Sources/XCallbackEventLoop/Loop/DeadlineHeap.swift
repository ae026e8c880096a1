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
