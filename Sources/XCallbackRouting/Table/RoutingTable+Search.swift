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

extension RoutingTable {
    /// Returns the target of a segment from a node with literal or parameter edges; nil if the segment does not match.
    @inline(__always)
    func onlyWay(from node: Node, at index: Int, by segment: Range<Int>, in bytes: Span<UInt8>) -> Int? {
        if node.ways == .literal { return literals.target(of: bytes.extracting(segment), from: index) }
        let edge = edges[Int(node.firstEdge)]
        return accepts(edge.type, bytes, segment) ? Int(edge.target) : nil
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
            if nodes[node].hasLiterals, let next = literals.target(of: bytes.extracting(segments[index]), from: node) {
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

    /// Tries the matching candidates among many edges.
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

    /// Whether a wildcard can end in a segment, whose rest then belongs to the parts after the wildcard.
    func ends(_ edge: Edge, in range: Range<Int>, _ bytes: Span<UInt8>, _ scratch: inout [Capture]) -> Bool {
        defer { scratch.clear() }
        guard let end = end(of: edge, after: Int(edge.lastWildcard), in: range, bytes, into: &scratch) else {
            return false
        }
        return accepts(edge, bytes, range.lowerBound..<end)
    }
}
