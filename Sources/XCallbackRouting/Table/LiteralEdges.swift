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
        /// Compared first; covers the whole of a short text.
        var firstWord: UInt64 = 0
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
                node: Int32(node), target: Int32(target), textStart: Int32(text.count), textCount: Int32(literal.count),
                firstWord: Self.firstWord(of: literal)), literal)
        literal.withUnsafeBufferPointer { text.append(contentsOf: $0) }
    }

    private mutating func place(_ edge: Slot, _ literal: Span<UInt8>) {
        var index = Self.hash(literal, edge.firstWord, node: Int(edge.node)) & mask
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
    @inline(__always)
    func target(of segment: Span<UInt8>, from node: Int) -> Int? {
        let firstWord = Self.firstWord(of: segment)
        var index = Self.hash(segment, firstWord, node: node) & mask
        // A slot is read where it lies, and no index is beyond the mask.
        let slots = slots.span
        while true {
            let owner = slots[unchecked: index].node
            if owner < 0 { return nil }
            if owner == node, slots[unchecked: index].firstWord == firstWord,
                slots[unchecked: index].textCount == segment.count,
                matches(segment, at: Int(slots[unchecked: index].textStart))
            {
                return Int(slots[unchecked: index].target)
            }
            index = (index + 1) & mask
        }
    }

    /// Whether a segment equals a text with the same first word and length.
    @inline(__always)
    private func matches(_ segment: Span<UInt8>, at start: Int) -> Bool {
        guard segment.count > 8 else { return true }
        let text = text.span
        for offset in 8..<segment.count where segment[offset] != text[start + offset] { return false }
        return true
    }

    @inline(__always)
    private static func hash(_ text: Span<UInt8>, _ firstWord: UInt64, node: Int) -> Int {
        var hash = (firstWord ^ UInt64(truncatingIfNeeded: node) << 32) &* 0x9E37_79B9_7F4A_7C15
        if text.count > 8 {
            for offset in 8..<text.count { hash = (hash ^ UInt64(text[offset])) &* 0x0000_0100_0000_01B3 }
        }
        // The low bits of a product do not depend on the high ones, which distinguish texts that differ only at the
        // end.
        hash ^= hash >> 32
        return Int(truncatingIfNeeded: (hash &* 0x9E37_79B9_7F4A_7C15) >> 33)
    }

    /// The first eight bytes as a number; for a shorter text, a number that is unique among texts of the same length.
    @inline(__always)
    private static func firstWord(of text: Span<UInt8>) -> UInt64 {
        let bytes = text.bytes
        // All loads stay within the text; if it is shorter than two loads, they overlap.
        switch text.count {
        case 8...: return bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: 0, as: UInt64.self)
        case 4...:
            let low = bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: 0, as: UInt32.self)
            let high = bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: text.count - 4, as: UInt32.self)
            return UInt64(high) << 32 | UInt64(low)
        case 1...: return UInt64(text[0]) << 16 | UInt64(text[text.count / 2]) << 8 | UInt64(text[text.count - 1])
        default: return 0
        }
    }
}
