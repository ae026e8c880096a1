/// The texts a single segment may have by its shape, as a non-deterministic automaton over bytes.
struct TextAutomaton {
    private struct Transition {
        /// The byte it reads, or nil for any.
        let byte: UInt8?
        let target: Int
    }

    /// A state of each of two automata.
    private struct Pair: Hashable {
        let first: Int
        let second: Int
        /// How many bytes have been read if all were dots and at most two, otherwise three.
        let dots: Int
    }

    private struct Step {
        let pair: Pair
        let previous: Int
        let byte: UInt8
    }

    private var transitions: [[Transition]] = [[]]
    /// The state in which the text is complete.
    private var end = 0

    /// Creates the automaton of a shape; `samples` has the texts that stand for all that a type accepts, by type.
    init(_ shape: SegmentShape, samples: [[[UInt8]]]) {
        for piece in shape.pieces {
            append(piece.text)
            guard let type = piece.type else {
                appendAnyText()
                continue
            }
            append(choice: samples[type])
        }
        append(shape.suffix)
    }

    private mutating func append(_ text: [UInt8]) {
        for byte in text { end = addState(reading: byte, from: end) }
    }

    private mutating func appendAnyText() {
        end = addState(reading: nil, from: end)
        transitions[end].append(Transition(byte: nil, target: end))
    }

    private mutating func append(choice texts: [[UInt8]]) {
        let start = end
        transitions.append([])
        end = transitions.count - 1
        for text in texts {
            var state = start
            for byte in text.dropLast() { state = addState(reading: byte, from: state) }
            transitions[state].append(Transition(byte: text.last, target: end))
        }
    }

    private mutating func addState(reading byte: UInt8?, from state: Int) -> Int {
        transitions.append([])
        transitions[state].append(Transition(byte: byte, target: transitions.count - 1))
        return transitions.count - 1
    }

    /// The shortest text of both automata that is neither `.` nor `..`, which no segment of an action is.
    ///
    /// Where both take any byte it has `filler`.
    func commonText(with other: TextAutomaton, filler: UInt8) -> [UInt8]? {
        var steps = [Step(pair: Pair(first: 0, second: 0, dots: 0), previous: -1, byte: 0)]
        var known: Set<Pair> = [steps[0].pair]
        var position = 0
        while position < steps.count {
            let pair = steps[position].pair
            if pair.first == end, pair.second == other.end, pair.dots == 3 { return text(of: steps, to: position) }
            for one in transitions[pair.first] {
                for two in other.transitions[pair.second] {
                    guard one.byte == nil || two.byte == nil || one.byte == two.byte else { continue }
                    let byte = one.byte ?? two.byte ?? filler
                    let dots = byte == 0x2E ? min(pair.dots + 1, 3) : 3
                    let next = Pair(first: one.target, second: two.target, dots: dots)
                    if known.insert(next).inserted {
                        steps.append(Step(pair: next, previous: position, byte: byte))
                    }
                }
            }
            position += 1
        }
        return nil
    }

    private func text(of steps: [Step], to last: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        var position = last
        while position > 0 {
            bytes.append(steps[position].byte)
            position = steps[position].previous
        }
        return bytes.reversed()
    }
}
