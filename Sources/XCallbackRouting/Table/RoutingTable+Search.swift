/// How far a nested wildcard's edge has been tried, so that it is never tried again from the same segment.
///
/// A sweep goes through the segments from the last to the first. The wildcard above sweeps the same way, so the
/// segments from which a nested edge is tried never ascend, and what one try found the next one continues.
struct WildcardSweep {
    /// The segment that has been reached.
    var position: Int
    /// The best rank if the wildcard goes on with the whole of the segment at `position`.
    var ahead = RoutingTable.none
    /// The best rank if the wildcard has ended before the segment at `position`, once it is known.
    var here: Int?
}

extension RoutingTable {
    /// The node to which a segment leads from one with literal or parameter ways; nil if the segment does not fit.
    @inline(__always)
    func onlyWay(from node: Node, at index: Int, by segment: Range<Int>, in bytes: Span<UInt8>) -> Int? {
        if node.ways == .literal { return literals.target(of: bytes.extracting(segment), from: index) }
        let edge = edges[Int(node.firstEdge)]
        return accepts(edge.type, bytes, segment) ? Int(edge.target) : nil
    }

    /// The rank of the best alternative that goes on from a node and matches the segments from an index on, or ``none``.
    ///
    /// `scratch` is empty room for captures that are tried, and comes back empty.
    func rank(
        from start: Int, at startIndex: Int, _ bytes: Span<UInt8>, _ segments: Span<Range<Int>>,
        scratch: inout [Capture]
    ) -> Int {
        var sweeps: [Int: WildcardSweep]?
        return rank(from: start, at: startIndex, bytes, segments, &sweeps, &scratch)
    }

    /// The rank of the best alternative that goes on from a node and matches the segments from an index on.
    func rank(
        from start: Int, at startIndex: Int, _ bytes: Span<UInt8>, _ segments: Span<Range<Int>>,
        _ sweeps: inout [Int: WildcardSweep]?, _ scratch: inout [Capture]
    ) -> Int {
        // Nodes are read where they lie: a copy would cost more than what is read of it.
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
            if nodes[node].hasLiterals, let next = literals.target(of: bytes.extracting(segments[index]), from: node) {
                let rank = rank(from: next, at: index + 1, bytes, segments, &sweeps, &scratch)
                if rank != Self.none { return rank }
            }
            return rank(overEdgesOf: nodes[node], at: index, bytes, segments, &sweeps, &scratch)
        }
    }

    /// Tries the edges of a node, all that are equally specific before the next.
    private func rank(
        overEdgesOf node: Node, at index: Int, _ bytes: Span<UInt8>, _ segments: Span<Range<Int>>,
        _ sweeps: inout [Int: WildcardSweep]?, _ scratch: inout [Capture]
    ) -> Int {
        var best = Self.none
        var edge = Int(node.firstEdge)
        let end = edge + Int(node.edgeCount)
        while edge < end {
            let group = Int(edges[edge].group)
            if group >= 0 {
                best = min(best, rank(inGroup: group, at: index, bytes, segments, &sweeps, &scratch))
                if best != Self.none { break }
                edge = edgeIndex.groups[group].end
                continue
            }
            best = min(best, rank(by: edge, at: index, bytes, segments, &sweeps, &scratch))
            if best != Self.none, edges[edge].endsRank { break }
            edge += 1
        }
        return best
    }

    /// Tries the edges of many that can match.
    private func rank(
        inGroup number: Int, at index: Int, _ bytes: Span<UInt8>, _ segments: Span<Range<Int>>,
        _ sweeps: inout [Int: WildcardSweep]?, _ scratch: inout [Capture]
    ) -> Int {
        var best = Self.none
        let group = edgeIndex.groups[number]
        for form in group.forms {
            edgeIndex.forEachEdge(ofForm: form, bytes.extracting(segments[index])) { edge in
                best = min(best, rank(by: edge, at: index, bytes, segments, &sweeps, &scratch))
            }
        }
        for place in group.others {
            let edge = Int(edgeIndex.others[place])
            best = min(best, rank(by: edge, at: index, bytes, segments, &sweeps, &scratch))
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
            guard accepts(edge.type, bytes, segments[index]) else { return Self.none }
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

    /// Whether a wildcard can end in a segment, of which the rest belongs to what follows it in its own segment.
    func ends(_ edge: Edge, in range: Range<Int>, _ bytes: Span<UInt8>, _ scratch: inout [Capture]) -> Bool {
        defer { scratch.clear() }
        guard let end = end(of: edge, after: Int(edge.lastWildcard), in: range, bytes, into: &scratch) else {
            return false
        }
        return accepts(edge, bytes, range.lowerBound..<end)
    }
}
