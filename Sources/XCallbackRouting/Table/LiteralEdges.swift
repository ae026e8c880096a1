/// The edges of literal text: one open-addressing hash table for all nodes.
///
/// The texts come from the configuration, so clients cannot make entries collide.
struct LiteralEdges: Sendable {
    private struct Slot: Sendable {
        /// The node the edge leaves, or -1 if the slot is free.
        var node: Int32 = -1
        var target: Int32 = 0
        var textStart: Int32 = 0
        var textCount: Int32 = 0
    }

    // At most half full, so that a miss ends soon.
    private var slots = Array(repeating: Slot(), count: 8)
    private var text: [UInt8] = []
    private var mask = 7
    private var count = 0

    /// Adds an edge that is not there yet.
    mutating func insert(_ literal: Span<UInt8>, from node: Int, to target: Int) {
        count += 1
        if count * 2 > slots.count { grow() }
        place(
            Slot(
                node: Int32(node), target: Int32(target), textStart: Int32(text.count),
                textCount: Int32(literal.count)), literal)
        literal.withUnsafeBufferPointer { text.append(contentsOf: $0) }
    }

    private mutating func place(_ edge: Slot, _ literal: Span<UInt8>) {
        var index = Self.hash(literal, node: Int(edge.node)) & mask
        while slots[index].node >= 0 { index = (index + 1) & mask }
        slots[index] = edge
    }

    private mutating func grow() {
        let (edges, text) = (slots, text)
        slots = Array(repeating: Slot(), count: edges.count * 2)
        mask = slots.count - 1
        for edge in edges where edge.node >= 0 {
            let start = Int(edge.textStart)
            place(edge, text.span.extracting(start..<start + Int(edge.textCount)))
        }
    }

    /// Returns the target node of a segment, if the node has a literal edge for it.
    func target(of segment: Span<UInt8>, from node: Int) -> Int? {
        var index = Self.hash(segment, node: node) & mask
        while slots[index].node >= 0 {
            if slots[index].node == node, isText(of: slots[index], segment) { return Int(slots[index].target) }
            index = (index + 1) & mask
        }
        return nil
    }

    private func isText(of slot: Slot, _ segment: Span<UInt8>) -> Bool {
        guard slot.textCount == segment.count else { return false }
        let start = Int(slot.textStart)
        for offset in segment.indices where segment[offset] != text[start + offset] { return false }
        return true
    }

    private static func hash(_ text: Span<UInt8>, node: Int) -> Int {
        var hash = UInt64(node)
        for offset in text.indices { hash = (hash ^ UInt64(text[offset])) &* 0x0000_0100_0000_01B3 }
        // The low bits of a product do not depend on the high ones.
        return Int(truncatingIfNeeded: (hash &* 0x9E37_79B9_7F4A_7C15) >> 33)
    }
}
