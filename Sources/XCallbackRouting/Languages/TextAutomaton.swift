/// The minimal deterministic automaton of a language, which reads texts from the last byte to the first.
///
/// It reads backward because a segment of a pattern is divided from its end.
package struct TextAutomaton: Sendable {
    /// A transition: the bytes, and the target state.
    struct Edge: Sendable {
        let bytes: ByteSet
        let target: Int
    }

    /// The state before a byte was read.
    static var start: Int { 0 }

    /// The transitions of each state; each byte is in at most one of them.
    private(set) var edges: [[Edge]] = []
    /// Whether each state accepts.
    private(set) var isEnd: [Bool] = []

    /// Creates the automaton of a language.
    package init(_ language: TextLanguage) {
        var builder = ReversedAutomaton()
        let end = builder.addState()
        let start = builder.add(language, before: end)
        let classes = ByteClasses(of: builder.edges.joined().map(\.bytes))
        let (targets, isEnd) = builder.determinized(from: start, to: end, classes)
        minimize(targets, isEnd, classes)
    }

    /// Whether a text is in the language.
    ///
    /// - Parameter text: The bytes.
    /// - Returns: Whether the text is in the language.
    package func accepts(_ text: Span<UInt8>) -> Bool {
        var state = Self.start
        for index in text.indices.reversed() {
            guard let edge = edges[state].first(where: { $0.bytes.contains(text[index]) }) else { return false }
            state = edge.target
        }
        return isEnd[state]
    }

    /// Merges equivalent states, and removes those that cannot reach an accepting state.
    private mutating func minimize(_ targets: [[Int]], _ isEnd: [Bool], _ classes: ByteClasses) {
        // State 0 cannot reach an accepting state; equivalent states are in its group.
        var groups = isEnd.map { $0 ? 1 : 0 }
        var groupCount = 0
        while true {
            var numbers: [[Int]: Int] = [:]
            let next = targets.indices.map { state in
                let signature = [groups[state]] + targets[state].map { groups[$0] }
                numbers[signature] = numbers[signature] ?? numbers.count
                return numbers[signature] ?? 0
            }
            groups = next
            if numbers.count == groupCount { break }
            groupCount = numbers.count
        }
        var states = Array(repeating: -1, count: groupCount)
        var members: [Int] = []
        let dead = groups[0]
        // The start comes first, and exists even if the language is empty.
        for state in 1..<targets.count where states[groups[state]] < 0 && (state == 1 || groups[state] != dead) {
            states[groups[state]] = members.count
            members.append(state)
        }
        for member in members {
            var bytes: [Int: ByteSet] = [:]
            for byte in 0..<256 {
                let target = groups[targets[member][classes.classes[byte]]]
                if target != dead { bytes[states[target], default: ByteSet()].insert(UInt8(byte)) }
            }
            edges.append(bytes.sorted { $0.key < $1.key }.map { Edge(bytes: $0.value, target: $0.key) })
            self.isEnd.append(isEnd[member])
        }
    }
}

/// A nondeterministic automaton of a language, built from the end of its texts to the start.
private struct ReversedAutomaton {
    var edges: [[TextAutomaton.Edge]] = []
    /// The transitions without a byte.
    private var shortcuts: [[Int]] = []

    mutating func addState() -> Int {
        edges.append([])
        shortcuts.append([])
        return edges.count - 1
    }

    /// Adds states that read a language backward and continue with a state.
    ///
    /// - Returns: The start state.
    mutating func add(_ language: TextLanguage, before next: Int) -> Int {
        switch language {
        case .byte(let bytes):
            let state = addState()
            edges[state].append(TextAutomaton.Edge(bytes: bytes, target: next))
            return state
        case .sequence(let parts):
            // The last part is read first.
            return parts.reduce(next) { add($1, before: $0) }
        case .choice(let parts):
            let state = addState()
            for part in parts { shortcuts[state].append(add(part, before: next)) }
            return state
        case .repetition(let part, let least, let most):
            var state = next
            if let most {
                for _ in 0..<max(most - least, 0) {
                    let begin = add(part, before: state)
                    shortcuts[begin].append(next)
                    state = begin
                }
            } else {
                let loop = addState()
                shortcuts[loop] = [next, add(part, before: loop)]
                state = loop
            }
            for _ in 0..<least { state = add(part, before: state) }
            return state
        }
    }

    /// Returns the deterministic form: the target of each byte class from each state; state 0 is dead, and 1 is the
    /// start.
    func determinized(from start: Int, to end: Int, _ classes: ByteClasses) -> (targets: [[Int]], isEnd: [Bool]) {
        var sets: [[Int]] = [[], closure(of: [start])]
        var numbers = [sets[0]: 0, sets[1]: 1]
        var targets: [[Int]] = []
        var position = 0
        while position < sets.count {
            var row: [Int] = []
            for byte in classes.representatives {
                var reached: [Int] = []
                for state in sets[position] {
                    for edge in edges[state] where edge.bytes.contains(byte) { reached.append(edge.target) }
                }
                let set = closure(of: reached)
                if numbers[set] == nil {
                    numbers[set] = sets.count
                    sets.append(set)
                }
                row.append(numbers[set] ?? 0)
            }
            targets.append(row)
            position += 1
        }
        return (targets, sets.map { $0.contains(end) })
    }

    private func closure(of states: [Int]) -> [Int] {
        var known = Set(states)
        var open = Array(known)
        while let state = open.popLast() {
            for next in shortcuts[state] where known.insert(next).inserted { open.append(next) }
        }
        return known.sorted()
    }
}
