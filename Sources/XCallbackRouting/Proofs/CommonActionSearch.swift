/// Finds the shortest action that two automata accept and others do not.
struct CommonActionSearch {
    /// The valid actions: no empty segments, no NUL, UTF-8, and no segment `.` or `..`.
    private static let received = ActionAutomaton(
        [SegmentShape(pieces: [SegmentShape.Piece(text: [], isWildcard: true, type: 0)], suffix: [])],
        TypeAutomata([CaptureType(name: "", language: .receivedSegment) { _ in true }]))

    /// The states of the accepting automata.
    private struct Place: Hashable {
        let first: Int
        let second: Int
        let received: Int
    }

    private struct State {
        let place: Place
        /// The number of a set of states of the excluded automata.
        let excluded: Int
    }

    private struct Step {
        let state: State
        let previous: Int
        /// The byte; nil for the separator.
        let byte: UInt8?
    }

    private let first: ActionAutomaton
    private let second: ActionAutomaton
    private let bytes: [UInt8]
    private var excluded: StateSets

    /// Creates a search.
    ///
    /// - Parameters:
    ///   - first: An automaton that must accept the action.
    ///   - second: Another automaton that must accept the action.
    ///   - excluded: The automata that must reject the action.
    init(_ first: ActionAutomaton, _ second: ActionAutomaton, excluding excluded: [ActionAutomaton] = []) {
        self.first = first
        self.second = second
        let automata = [first, second, Self.received] + excluded
        bytes = ByteClasses(of: automata.reduce(into: Set()) { $0.formUnion($1.byteSets) }).representatives
        self.excluded = StateSets(of: excluded)
    }

    /// Returns the decoded segments of the action; nil if there is none.
    mutating func segments() -> [[UInt8]]? {
        // The action without segments is also valid.
        if first.start == ActionAutomaton.end, second.start == ActionAutomaton.end {
            return excluded.canEnd(excluded.start) ? nil : []
        }
        let start = Place(first: first.start, second: second.start, received: Self.received.start)
        var steps = [Step(state: State(place: start, excluded: excluded.start), previous: -1, byte: nil)]
        // With a smaller excluded set, every continuation remains accepted: only the minimal sets of a place are kept.
        var known = [start: [excluded.start]]
        var position = 0
        let symbols = bytes.map { Optional($0) } + [nil]
        while position < steps.count {
            let state = steps[position].state
            let place = state.place
            for symbol in symbols {
                let firstTargets = first.targets(of: symbol, from: place.first)
                if firstTargets.isEmpty { continue }
                let secondTargets = second.targets(of: symbol, from: place.second)
                if secondTargets.isEmpty { continue }
                let receivedTargets = Self.received.targets(of: symbol, from: place.received)
                if receivedTargets.isEmpty { continue }
                let excludedTarget = excluded.target(of: symbol, from: state.excluded)
                for one in firstTargets {
                    for two in secondTargets {
                        for three in receivedTargets {
                            let nextPlace = Place(first: one, second: two, received: three)
                            let sets = known[nextPlace] ?? []
                            if sets.contains(where: { excluded.isSubset($0, of: excludedTarget) }) { continue }
                            known[nextPlace] =
                                sets.filter { !excluded.isSubset(excludedTarget, of: $0) } + [excludedTarget]
                            let next = State(place: nextPlace, excluded: excludedTarget)
                            steps.append(Step(state: next, previous: position, byte: symbol))
                            if isEnd(next) { return segments(of: steps) }
                        }
                    }
                }
            }
            position += 1
        }
        return nil
    }

    private func isEnd(_ state: State) -> Bool {
        let end = ActionAutomaton.end
        return state.place == Place(first: end, second: end, received: end) && !excluded.canEnd(state.excluded)
    }

    /// Returns the segments up to the last step.
    private func segments(of steps: [Step]) -> [[UInt8]] {
        // The steps were read backward, so the last step is the first byte.
        var segments: [[UInt8]] = [[]]
        var position = steps.count - 1
        while position > 0 {
            if let byte = steps[position].byte {
                segments[segments.count - 1].append(byte)
            } else {
                segments.append([])
            }
            position = steps[position].previous
        }
        return segments
    }
}

/// The sets of states that automata can be in, each with a number.
private struct StateSets {
    private struct Place: Hashable {
        let automaton: Int
        let state: Int
    }

    private let automata: [ActionAutomaton]
    private var sets: [Set<Place>] = []
    private var numbers: [Set<Place>: Int] = [:]

    init(of automata: [ActionAutomaton]) {
        self.automata = automata
        _ = number(of: Set(automata.indices.map { Place(automaton: $0, state: automata[$0].start) }))
    }

    var start: Int { 0 }

    func isSubset(_ one: Int, of other: Int) -> Bool { one == other || sets[one].isSubset(of: sets[other]) }

    func canEnd(_ number: Int) -> Bool { sets[number].contains { $0.state == ActionAutomaton.end } }

    mutating func target(of symbol: UInt8?, from number: Int) -> Int {
        if automata.isEmpty { return number }
        var targets: Set<Place> = []
        for place in sets[number] {
            for state in automata[place.automaton].targets(of: symbol, from: place.state) {
                targets.insert(Place(automaton: place.automaton, state: state))
            }
        }
        return self.number(of: targets)
    }

    private mutating func number(of set: Set<Place>) -> Int {
        if let number = numbers[set] { return number }
        numbers[set] = sets.count
        sets.append(set)
        return sets.count - 1
    }
}

extension ActionAutomaton {
    /// Whether the automaton accepts an action.
    func accepts(_ segments: [[UInt8]]) -> Bool {
        var states: Set = [start]
        for (number, segment) in segments.reversed().enumerated() {
            let separator: [UInt8?] = number > 0 ? [nil] : []
            for symbol in separator + segment.reversed() {
                states = Set(states.flatMap { targets(of: symbol, from: $0) })
            }
        }
        return states.contains(Self.end)
    }

    /// Returns the target states for a byte or the separator.
    fileprivate func targets(of symbol: UInt8?, from state: Int) -> [Int] {
        edges[state].compactMap { edge in
            switch (edge.bytes, symbol) {
            case (nil, nil): edge.target
            case (let bytes?, let byte?): bytes.contains(byte) ? edge.target : nil
            default: nil
            }
        }
    }
}

extension TextLanguage {
    /// A valid segment of an action: UTF-8 without a NUL, not empty, and neither `.` nor `..`.
    static var receivedSegment: Self {
        let any = scalar(in: 1...0x10_FFFF)
        let dot = text([0x2E])
        let noDot = choice([scalar(in: 1...0x2D), scalar(in: 0x2F...0x10_FFFF)])
        return choice([
            .sequence([noDot, any.atLeast(0)]), .sequence([dot, noDot, any.atLeast(0)]),
            .sequence([dot, dot, any.atLeast(1)]),
        ])
    }
}
