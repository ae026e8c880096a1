/// Finds an action that two alternatives both match.
///
/// It treats a pattern as the set of all ways to fill its captures: an untyped one with any text, a typed one with the
/// samples that its type accepts. A table divides segments by a stricter rule and decides in the end.
struct WitnessSearch {
    /// Bytes to fill untyped captures with; a second choice helps where the first one is also text of a pattern.
    static let fillers: [UInt8] = [0x61, 0x62, 0x30]

    /// How far two alternatives have come.
    private struct State: Hashable {
        let first: Place
        let second: Place
    }

    /// A segment of an alternative, and the wildcard of it that the segment before has not finished.
    private struct Place: Hashable {
        var segment = 0
        var wildcard: Int?
    }

    private struct Step {
        let state: State
        let previous: Int
        let text: [UInt8]
    }

    /// The texts of all samples that each type accepts, by type.
    private let samples: [[[UInt8]]]

    init(_ types: [CaptureType]) {
        let texts = Set(types.flatMap(\.samples).filter { !$0.isEmpty }).sorted().map { Array($0.utf8) }
        samples = types.map { type in texts.filter { type.accepts($0.span) } }
    }

    /// Whether two segments may fit the same text; wildcards are given the benefit of the doubt.
    func canMeet(_ first: SegmentShape, _ second: SegmentShape) -> Bool {
        first.hasWildcard || commonText(of: first, second, filler: Self.fillers[0]) != nil
    }

    /// The decoded segments of the shortest action that fits both alternatives.
    func segments(matching first: [SegmentShape], _ second: [SegmentShape], filler: UInt8) -> [[UInt8]]? {
        var steps = [Step(state: State(first: Place(), second: Place()), previous: -1, text: [])]
        var known: Set<State> = [steps[0].state]
        var position = 0
        while position < steps.count {
            let state = steps[position].state
            if state.first == Place(segment: first.count), state.second == Place(segment: second.count) {
                return texts(of: steps, to: position)
            }
            for (shape, next) in ways(from: state.first, in: first) {
                for (otherShape, otherNext) in ways(from: state.second, in: second) {
                    let next = State(first: next, second: otherNext)
                    guard !known.contains(next), let text = commonText(of: shape, otherShape, filler: filler)
                    else { continue }
                    known.insert(next)
                    steps.append(Step(state: next, previous: position, text: text))
                }
            }
            position += 1
        }
        return nil
    }

    private func texts(of steps: [Step], to last: Int) -> [[UInt8]] {
        var texts: [[UInt8]] = []
        var position = last
        while position > 0 {
            texts.append(steps[position].text)
            position = steps[position].previous
        }
        return texts.reversed()
    }

    /// The shapes that the next single segment can have, and where each leads.
    private func ways(from place: Place, in shapes: [SegmentShape]) -> [(SegmentShape, Place)] {
        guard place.segment < shapes.count else { return [] }
        let shape = shapes[place.segment]
        var pieces = shape.pieces
        var dropped = 0
        if let wildcard = place.wildcard {
            dropped = wildcard
            pieces.removeFirst(wildcard)
            pieces[0] = SegmentShape.Piece(text: [], isWildcard: true, type: pieces[0].type)
        }
        var ways = [(SegmentShape(pieces: pieces, suffix: shape.suffix), Place(segment: place.segment + 1))]
        for (index, piece) in pieces.enumerated() where piece.isWildcard {
            let beginning = SegmentShape(pieces: Array(pieces[...index]), suffix: [])
            ways.append((beginning, Place(segment: place.segment, wildcard: dropped + index)))
        }
        return ways
    }

    private func commonText(of first: SegmentShape, _ second: SegmentShape, filler: UInt8) -> [UInt8]? {
        TextAutomaton(first, samples: samples).commonText(with: TextAutomaton(second, samples: samples), filler: filler)
    }

    /// Writes an action with the bytes percent-encoded that need it.
    static func action(of segments: [[UInt8]]) -> String {
        let digits = Array("0123456789ABCDEF".unicodeScalars)
        var action = String.UnicodeScalarView()
        for segment in segments {
            action.append("/")
            for byte in segment {
                let scalar = Unicode.Scalar(byte)
                if scalar.isUnescapedInAction {
                    action.append(scalar)
                } else {
                    action.append("%")
                    action.append(digits[Int(byte >> 4)])
                    action.append(digits[Int(byte & 15)])
                }
            }
        }
        return action.isEmpty ? "/" : String(action)
    }
}

extension Unicode.Scalar {
    /// Whether RFC 3986 lets it stand for itself in a segment of a path.
    fileprivate var isUnescapedInAction: Bool {
        switch self {
        case "a"..."z", "A"..."Z", "0"..."9", "-", ".", "_", "~", ":", "@": true
        case "!", "$", "&", "'", "(", ")", "*", "+", ",", ";", "=": true
        default: false
        }
    }
}
