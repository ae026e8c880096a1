/// The division of an action's segments into captures and texts. The capture indices here count the pieces of the edge;
/// a range is always within one segment, so no capture crosses a segment boundary.
extension RoutingTable {
    /// Whether a type, an index into `types` or -1 for any text, accepts a capture.
    func accepts(_ type: Int32, _ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
        type < 0 || types[Int(type)].accepts(bytes.extracting(range))
    }

    /// Whether the type of an edge's last wildcard accepts a piece.
    func accepts(_ edge: Edge, _ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
        accepts(pieces[Int(edge.firstPiece + edge.lastWildcard)].type, bytes, range)
    }

    /// Divides a segment by an edge without wildcards; returns whether it matches.
    ///
    /// After a mismatch, `captures` can contain some pieces.
    func divide(
        _ segment: Range<Int>, by edge: Edge, _ bytes: Span<UInt8>, into captures: inout [Capture]
    ) -> Bool {
        let first = captures.count
        let piece = pieces[Int(edge.firstPiece)]
        let start = segment.lowerBound + Int(piece.text.count)
        guard start < segment.upperBound, matches(piece.text, bytes, at: segment.lowerBound),
            let end = end(of: edge, after: 0, in: start..<segment.upperBound, bytes, into: &captures),
            accepts(piece.type, bytes, start..<end)
        else { return false }
        captures.append(Capture(index: 0, range: start..<end))
        captures.reverse(from: first)
        return true
    }

    /// Finds the end of a capture by placing everything after it in its segment, from the right.
    ///
    /// The piece of `anchor` starts at the start of `range`, and is not empty. The captures after it are appended to
    /// `captures` in reverse order. The result is nil after a mismatch.
    func end(
        of edge: Edge, after anchor: Int, in range: Range<Int>, _ bytes: Span<UInt8>, into captures: inout [Capture]
    ) -> Int? {
        let end = range.upperBound - Int(edge.suffix.count)
        guard end > range.lowerBound || edge.isWholeWildcard && range.isEmpty, matches(edge.suffix, bytes, at: end)
        else { return nil }
        return place(
            edge, from: Int(edge.pieceCount) - 1, downTo: anchor, in: range.lowerBound..<end, bytes, into: &captures)
    }

    /// Places captures and the texts before them from the right, up to the end of another capture.
    ///
    /// The captures are appended to `captures` in reverse order. The result is the end of the other capture, with at
    /// least one byte left for it, or nil.
    private func place(
        _ edge: Edge, from last: Int, downTo anchor: Int, in range: Range<Int>, _ bytes: Span<UInt8>,
        into captures: inout [Capture]
    ) -> Int? {
        var end = range.upperBound
        var index = last
        while index > anchor {
            let piece = pieces[Int(edge.firstPiece) + index]
            guard let text = self.last(piece.text, bytes, after: range.lowerBound, before: end),
                accepts(piece.type, bytes, (text + Int(piece.text.count))..<end)
            else { return nil }
            captures.append(Capture(index: index, range: (text + Int(piece.text.count))..<end))
            end = text
            index -= 1
        }
        return end
    }

    /// Divides segments between the wildcards of an edge: earlier wildcards take as much as the others leave.
    ///
    /// The segments are known to match. The first wildcard starts at `start`, and the last one ends at `end`. The
    /// wildcards and the captures between them are appended to `captures` in reverse order.
    func divide(
        _ edge: Edge, from start: (segment: Int, offset: Int), to end: (segment: Int, offset: Int),
        _ bytes: Span<UInt8>, _ segments: Span<Range<Int>>, into captures: inout [Capture]
    ) {
        let first = wildcard(after: -1, of: edge)
        var current = Int(edge.lastWildcard)
        var (segment, offset) = end
        while true {
            let isFirst = segment == start.segment
            let range = (isFirst ? start.offset : segments[segment].lowerBound)..<offset
            let known = captures.count
            let previous = wildcard(before: current, of: edge)
            if current > first,
                let place = place(edge, from: current, downTo: previous, in: range, bytes, into: &captures)
            {
                offset = place
                current = previous
                continue
            }
            captures.removeLast(captures.count - known)
            captures.append(Capture(index: current, range: range))
            if isFirst { break }
            segment -= 1
            offset = segments[segment].upperBound
        }
    }

    /// Finds the first possible start of an edge's wildcard, by placing everything before it, from the left.
    ///
    /// The captures before the wildcard are appended to `captures` in order. The result is nil after a mismatch.
    func beginning(
        of edge: Edge, wildcard last: Int, at index: Int, _ bytes: Span<UInt8>, _ segments: Span<Range<Int>>,
        into captures: inout [Capture]
    ) -> (segment: Int, offset: Int)? {
        let prefix = pieces[Int(edge.firstPiece)].text
        var segment = index
        var offset = segments[index].lowerBound + Int(prefix.count)
        guard offset < segments[index].upperBound || edge.isWholeWildcard,
            matches(prefix, bytes, at: segments[index].lowerBound)
        else { return nil }
        var current = 0
        while current < last {
            let next = wildcard(after: current, of: edge)
            let mark = captures.count
            let range = offset..<segments[segment].upperBound
            if let end = place(edge, from: current, to: next, in: range, bytes, into: &captures) {
                offset = end
                current = next
                continue
            }
            captures.removeLast(captures.count - mark)
            // Only a wildcard can take the rest of the segment and continue in the next one.
            let piece = pieces[Int(edge.firstPiece) + current]
            guard piece.isWildcard, segment + 1 < segments.count, accepts(piece.type, bytes, range) else { return nil }
            captures.append(Capture(index: current, range: range))
            segment += 1
            offset = segments[segment].lowerBound
        }
        return (segment, offset)
    }

    /// Places the captures up to a wildcard, and the texts between them, in one segment, from the left.
    ///
    /// The result is the start of the wildcard, with at least one byte left for it, or nil.
    private func place(
        _ edge: Edge, from current: Int, to next: Int, in range: Range<Int>, _ bytes: Span<UInt8>,
        into captures: inout [Capture]
    ) -> Int? {
        var start = range.lowerBound
        for index in current..<next {
            let text = pieces[Int(edge.firstPiece) + index + 1].text
            guard let end = first(text, bytes, after: start, before: range.upperBound),
                accepts(pieces[Int(edge.firstPiece) + index].type, bytes, start..<end)
            else { return nil }
            captures.append(Capture(index: index, range: start..<end))
            start = end + Int(text.count)
        }
        return start
    }

    /// Returns the next wildcard piece of an edge; there is always one.
    func wildcard(after current: Int, of edge: Edge) -> Int {
        var next = current + 1
        while next < edge.lastWildcard, !pieces[Int(edge.firstPiece) + next].isWildcard { next += 1 }
        return next
    }

    /// Returns the previous wildcard piece of an edge, or the first piece.
    private func wildcard(before current: Int, of edge: Edge) -> Int {
        var previous = current - 1
        while previous > 0, !pieces[Int(edge.firstPiece) + previous].isWildcard { previous -= 1 }
        return previous
    }

    private func matches(_ text: Text, _ bytes: Span<UInt8>, at offset: Int) -> Bool {
        for position in 0..<Int(text.count) where bytes[offset + position] != texts[Int(text.start) + position] {
            return false
        }
        return true
    }

    /// Returns the last position of a text with at least one byte between it and either bound.
    private func last(_ text: Text, _ bytes: Span<UInt8>, after low: Int, before high: Int) -> Int? {
        var offset = high - 1 - Int(text.count)
        while offset > low {
            if matches(text, bytes, at: offset) { return offset }
            offset -= 1
        }
        return nil
    }

    /// Returns the first position of a text with at least one byte between it and either bound.
    private func first(_ text: Text, _ bytes: Span<UInt8>, after low: Int, before high: Int) -> Int? {
        var offset = low + 1
        while offset + Int(text.count) < high {
            if matches(text, bytes, at: offset) { return offset }
            offset += 1
        }
        return nil
    }

    /// Appends the captures of a match of the same action, in the order of the pattern.
    package func capture(
        _ match: Match, _ bytes: Span<UInt8>, _ segments: Span<Range<Int>>, into captures: inout [Capture]
    ) {
        let alternative = alternatives[match.rank]
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
                index = captureWildcard(step, of: match.rank, at: index, bytes, segments, into: &captures)
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
