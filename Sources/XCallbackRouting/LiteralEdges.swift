/// The ways on from nodes by literal text: one open-addressing hash table for all nodes.
///
/// Its text comes from the configuration, so nobody who sends requests can make entries collide.
struct LiteralEdges: Sendable {
    private struct Slot: Sendable {
        /// The node the edge leaves, or -1 if the slot is free.
        var node: Int32 = -1
        var target: Int32 = 0
        var textStart: Int32 = 0
        var textCount: Int32 = 0
    }

    private var slots: [Slot]
    private var text: [UInt8] = []
    private let mask: Int

    /// Creates an empty table with room for a number of edges.
    init(capacity: Int) {
        // At most half full, so a miss ends soon.
        var size = 8
        while size < capacity * 2 { size *= 2 }
        slots = Array(repeating: Slot(), count: size)
        mask = size - 1
    }

    /// Adds an edge that is not there yet.
    mutating func insert(_ literal: [UInt8], from node: Int, to target: Int) {
        var slot = Self.hash(literal.span, node: node) & mask
        while slots[slot].node >= 0 { slot = (slot + 1) & mask }
        slots[slot] = Slot(
            node: Int32(node), target: Int32(target), textStart: Int32(text.count), textCount: Int32(literal.count)
        )
        text += literal
    }

    /// The node to which a segment leads, if it is literal text there.
    func target(of segment: Span<UInt8>, from node: Int) -> Int? {
        var index = Self.hash(segment, node: node) & mask
        while true {
            let slot = slots[index]
            if slot.node < 0 { return nil }
            if slot.node == node, slot.textCount == segment.count, matches(segment, at: Int(slot.textStart)) {
                return Int(slot.target)
            }
            index = (index + 1) & mask
        }
    }

    private func matches(_ segment: Span<UInt8>, at start: Int) -> Bool {
        let text = text.span
        for offset in segment.indices where segment[offset] != text[start + offset] { return false }
        return true
    }

    private static func hash(_ text: Span<UInt8>, node: Int) -> Int {
        var hash = UInt64(truncatingIfNeeded: node) &* 0x9E37_79B9_7F4A_7C15
        for offset in text.indices { hash = (hash ^ UInt64(text[offset])) &* 0x0000_0100_0000_01B3 }
        hash ^= hash >> 32
        return Int(truncatingIfNeeded: hash & 0x7FFF_FFFF_FFFF_FFFF)
    }
}
