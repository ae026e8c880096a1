import XCallbackWire

/// The progress of a nested wildcard's edge, so that it is never tried twice from the same segment.
///
/// A sweep visits the segments from the last to the first. The enclosing wildcard sweeps in the same direction, so the
/// start segments of a nested edge never ascend, and each attempt continues from the results of the previous one.
struct WildcardSweep {
    /// The current segment.
    var position: Int
    /// The best rank if the wildcard takes the whole segment at `position` and continues.
    var ahead = RoutingTable.none
    /// The best rank if the wildcard ended before the segment at `position`; nil until it is known.
    var here: Int?
}

// MARK: - Finding an edge

extension RoutingTable.LiteralEdges {
    /// Returns the target node of a segment, if the node has a literal edge for it.
    @inline(__always)
    func target(of segment: Span<UInt8>, from node: Int, texts: [UInt8]) -> Int? {
        let firstWord = Self.firstWord(of: segment)
        // At most half of the slots are used, so that a miss ends soon.
        let mask = slots.count - 1
        var index = Self.hash(segment, firstWord, node: node) & mask
        while true {
            let slot = slots[index]
            if slot.node < 0 { return nil }
            if slot.node == node, slot.firstWord == firstWord, Int(slot.text.count) == segment.count {
                var offset = 8
                while offset < segment.count, segment[offset] == texts[Int(slot.text.start) + offset] { offset += 1 }
                if offset >= segment.count { return Int(slot.target) }
            }
            index = (index + 1) & mask
        }
    }

    /// The texts come from the configuration, so clients cannot make edges collide.
    @inline(__always)
    static func hash(_ text: Span<UInt8>, _ firstWord: UInt64, node: Int) -> Int {
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
    static func firstWord(of text: Span<UInt8>) -> UInt64 {
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

// MARK: - Searching the tree

extension RoutingTable {
    /// Returns the target of a segment from a node with literal or parameter edges; nil if the segment does not match.
    @inline(__always)
    private func onlyWay(from node: Node, at index: Int, by segment: Range<Int>, in bytes: Span<UInt8>) -> Int? {
        if node.ways == .literal { return literals.target(of: bytes.extracting(segment), from: index, texts: texts) }
        let edge = edges[Int(node.firstEdge)]
        return !segment.isEmpty && accepts(edge.type, bytes, segment) ? Int(edge.target) : nil
    }

    /// Returns the best rank among alternatives from a node that match the segments from an index on, or ``none``.
    ///
    /// `scratch` is empty memory for tentative captures, and is empty again afterward.
    func rank(
        from start: Int, at startIndex: Int, _ bytes: Span<UInt8>, _ segments: Span<Range<Int>>,
        scratch: inout [Capture]
    ) -> Int {
        var sweeps: [Int: WildcardSweep]?
        return rank(from: start, at: startIndex, bytes, segments, &sweeps, &scratch)
    }

    /// Returns the best rank among alternatives from a node that match the segments from an index on.
    func rank(
        from start: Int, at startIndex: Int, _ bytes: Span<UInt8>, _ segments: Span<Range<Int>>,
        _ sweeps: inout [Int: WildcardSweep]?, _ scratch: inout [Capture]
    ) -> Int {
        // Nodes are read in place: a copy would be more expensive.
        var node = start
        var index = startIndex
        while true {
            let rest = segments.count - index
            guard rest >= nodes[node].leastRest, rest <= nodes[node].mostRest else { return Self.none }
            guard rest > 0 else { return Int(nodes[node].end) }
            if nodes[node].ways != .several {
                let segment = segments[index]
                guard let next = onlyWay(from: nodes[node], at: node, by: segment, in: bytes) else { return Self.none }
                node = next
                index += 1
                continue
            }
            if nodes[node].hasLiterals,
                let next = literals.target(of: bytes.extracting(segments[index]), from: node, texts: texts)
            {
                let rank = rank(from: next, at: index + 1, bytes, segments, &sweeps, &scratch)
                if rank != Self.none { return rank }
            }
            return rank(overEdgesOf: nodes[node], at: index, bytes, segments, &sweeps, &scratch)
        }
    }

    /// Tries the edges of a node, all equally specific ones before the next.
    private func rank(
        overEdgesOf node: Node, at index: Int, _ bytes: Span<UInt8>, _ segments: Span<Range<Int>>,
        _ sweeps: inout [Int: WildcardSweep]?, _ scratch: inout [Capture]
    ) -> Int {
        var best = Self.none
        var edge = Int(node.firstEdge)
        let end = edge + Int(node.edgeCount)
        while edge < end {
            let rankEnd = Int(edges[edge].rankEnd)
            for candidate in edge..<rankEnd {
                best = min(best, rank(by: candidate, at: index, bytes, segments, &sweeps, &scratch))
            }
            if best != Self.none { break }
            edge = rankEnd
        }
        return best
    }

    private func rank(
        by edgeIndex: Int, at index: Int, _ bytes: Span<UInt8>, _ segments: Span<Range<Int>>,
        _ sweeps: inout [Int: WildcardSweep]?, _ scratch: inout [Capture]
    ) -> Int {
        let edge = edges[edgeIndex]
        switch edge.kind {
        case .parameter:
            guard !segments[index].isEmpty, accepts(edge.type, bytes, segments[index]) else { return Self.none }
        case .mixed:
            defer { scratch.clear() }
            guard divide(segments[index], by: edge, bytes, into: &scratch) else { return Self.none }
        case .wildcard:
            return rank(byWildcard: edgeIndex, at: index, bytes, segments, &sweeps, &scratch)
        }
        return rank(from: Int(edge.target), at: index + 1, bytes, segments, &sweeps, &scratch)
    }

    private func rank(
        byWildcard edgeIndex: Int, at index: Int, _ bytes: Span<UInt8>, _ segments: Span<Range<Int>>,
        _ sweeps: inout [Int: WildcardSweep]?, _ scratch: inout [Capture]
    ) -> Int {
        let edge = edges[edgeIndex]
        let start = beginning(of: edge, wildcard: Int(edge.lastWildcard), at: index, bytes, segments, into: &scratch)
        scratch.clear()
        guard let start else { return Self.none }
        var sweep = WildcardSweep(position: segments.count)
        if edge.isNested, let known = sweeps?[edgeIndex], known.position > start.segment { sweep = known }
        let bestPossible = Int(nodes[Int(edge.target)].best)
        while true {
            let segment = sweep.position - 1
            let isFirst = segment == start.segment
            let range = (isFirst ? start.offset : segments[segment].lowerBound)..<segments[segment].upperBound
            var best = accepts(edge, bytes, range) ? sweep.ahead : Self.none
            if best != bestPossible, ends(edge, in: range, bytes, &scratch) {
                let here =
                    sweep.here ?? rank(from: Int(edge.target), at: sweep.position, bytes, segments, &sweeps, &scratch)
                sweep.here = here
                best = min(best, here)
            }
            if isFirst {
                if edge.isNested, sweeps == nil { sweeps = [:] }
                if edge.isNested { sweeps?[edgeIndex] = sweep }
                return best
            }
            sweep = WildcardSweep(position: segment, ahead: best)
        }
    }

    /// Whether a wildcard can end in a segment, whose rest then belongs to the parts after the wildcard.
    func ends(_ edge: Edge, in range: Range<Int>, _ bytes: Span<UInt8>, _ scratch: inout [Capture]) -> Bool {
        defer { scratch.clear() }
        guard let end = end(of: edge, after: Int(edge.lastWildcard), in: range, bytes, into: &scratch) else {
            return false
        }
        return accepts(edge, bytes, range.lowerBound..<end)
    }
}
