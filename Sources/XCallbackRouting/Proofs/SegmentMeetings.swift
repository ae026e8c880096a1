/// The common texts of pairs of segments; the result for each pair is cached.
struct SegmentMeetings {
    private struct Key: Hashable {
        let first: SegmentShape
        let second: SegmentShape
    }

    /// The capture types to which the segments refer.
    let types: TypeAutomata
    private var known: [Key: [[UInt8]]?] = [:]

    /// Creates an empty cache for segments with these types.
    init(_ types: [CaptureType]) {
        self.types = TypeAutomata(types)
    }

    /// Returns a short text that two segments match: several segments if wildcards take them; nil if there is none.
    mutating func segments(of first: SegmentShape, _ second: SegmentShape) -> [[UInt8]]? {
        if first.isLiteral, second.isLiteral { return first.suffix == second.suffix ? [first.suffix] : nil }
        let key = Key(first: first, second: second)
        if let segments = known[key] { return segments }
        let segments = find(first, second)
        known[key] = .some(segments)
        return segments
    }

    private func find(_ first: SegmentShape, _ second: SegmentShape) -> [[UInt8]]? {
        if let one = first.wholeType, let other = second.wholeType {
            // Automata of long enumerations would be slow.
            for (type, other) in [(one, other), (other, one)] {
                guard let values = types.types[type].values else { continue }
                return values.map { Array($0.utf8) }.first { value in
                    ActionText.isReceived(value) && types.types[other].accepts(value.span)
                }.map { [$0] }
            }
        }
        var search = CommonActionSearch(ActionAutomaton([first], types), ActionAutomaton([second], types))
        return search.segments()
    }
}

/// The automata of types, which are created when they are needed.
final class TypeAutomata {
    let types: [CaptureType]
    private var automata: [Int: TextAutomaton] = [:]

    init(_ types: [CaptureType]) {
        self.types = types
    }

    subscript(type: Int) -> TextAutomaton {
        if let automaton = automata[type] { return automaton }
        let automaton = TextAutomaton(types[type].language)
        automata[type] = automaton
        return automaton
    }
}

extension SegmentShape {
    /// The type of the single parameter that is the whole segment.
    var wholeType: Int? {
        guard pieces.count == 1, pieces[0].text.isEmpty, suffix.isEmpty, !hasWildcard else { return nil }
        return pieces[0].type
    }
}
