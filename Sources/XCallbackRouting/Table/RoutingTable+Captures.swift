extension RoutingTable {
    /// Appends the captures of an alternative that is known to be the best match.
    func capture(_ rank: Int, _ bytes: Span<UInt8>, _ segments: Span<Range<Int>>, into captures: inout [Capture]) {
        let alternative = alternatives[rank]
        var index = 0
        for position in 0..<Int(alternative.stepCount) {
            let step = steps[Int(alternative.firstStep) + position]
            let edge = edges[Int(step.edge)]
            index += Int(step.gap)
            switch edge.kind {
            case .parameter:
                captures.append(Capture(index: stepCaptures[Int(step.firstCapture)], range: segments[index]))
                index += 1
            case .mixed:
                let mark = captures.count
                _ = divide(segments[index], by: edge, bytes, into: &captures)
                name(&captures, from: mark, step)
                index += 1
            case .wildcard:
                let mark = captures.count
                index = captureWildcard(step, of: rank, at: index, bytes, segments, into: &captures)
                name(&captures, from: mark, step)
            }
        }
    }

    /// Converts indices of an edge's pieces into indices of the pattern's captures.
    private func name(_ captures: inout [Capture], from mark: Int, _ step: Step) {
        for position in mark..<captures.count {
            let capture = captures[position]
            let index = stepCaptures[Int(step.firstCapture) + capture.index]
            captures[position] = Capture(index: index, range: capture.range)
        }
    }

    /// Appends the captures of a segment with wildcards and returns the index of the segment after it.
    private func captureWildcard(
        _ step: Step, of rank: Int, at index: Int, _ bytes: Span<UInt8>, _ segments: Span<Range<Int>>,
        into captures: inout [Capture]
    ) -> Int {
        let edge = edges[Int(step.edge)]
        let (first, last) = (wildcard(after: -1, of: edge), Int(edge.lastWildcard))
        let start = captures.count
        guard var begin = beginning(of: edge, wildcard: last, at: index, bytes, segments, into: &captures) else {
            return index
        }
        let next = step.rest >= 0 ? segments.count - Int(step.rest) : end(of: step, for: rank, begin, bytes, segments)
        let low = begin.segment == next - 1 ? begin.offset : segments[next - 1].lowerBound
        if first != last {
            // The captures between the wildcards are in later positions than during the search.
            captures.removeLast(captures.count - start)
            guard let other = beginning(of: edge, wildcard: first, at: index, bytes, segments, into: &captures) else {
                return index
            }
            begin = other
        }
        let mark = captures.count
        let range = low..<segments[next - 1].upperBound
        if let end = end(of: edge, after: last, in: range, bytes, into: &captures) {
            divide(edge, from: begin, to: (next - 1, end), bytes, segments, into: &captures)
            captures.reverse(from: mark)
        }
        return next
    }

    /// Returns the index after the longest run of segments that a wildcard can take if others follow it.
    private func end(
        of step: Step, for rank: Int, _ start: (segment: Int, offset: Int), _ bytes: Span<UInt8>,
        _ segments: Span<Range<Int>>
    ) -> Int {
        let edge = edges[Int(step.edge)]
        var longest = start.segment + 1
        var offset = start.offset
        while longest < segments.count, accepts(edge, bytes, offset..<segments[longest - 1].upperBound) {
            offset = segments[longest].lowerBound
            longest += 1
        }
        var sweeps: [Int: WildcardSweep]?
        var scratch: [Capture] = []
        while longest > start.segment + 1 {
            let range = segments[longest - 1]
            // No better alternative can match from here: otherwise it would be the result.
            if ends(edge, in: range, bytes, &scratch),
                self.rank(from: Int(edge.target), at: longest, bytes, segments, &sweeps, &scratch) == rank
            {
                break
            }
            longest -= 1
        }
        return longest
    }
}
