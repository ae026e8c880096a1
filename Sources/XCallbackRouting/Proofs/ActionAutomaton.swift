/// The actions that segments of a pattern match, as an automaton that reads from the last byte to the first.
///
/// It accepts exactly what a table matches, including the order in which a segment is divided, and the types of
/// captures. Between segments, it reads a separator, which is not a byte.
struct ActionAutomaton {
    /// A transition from a state.
    struct Edge {
        /// The bytes; nil for the separator.
        let bytes: ByteSet?
        let target: Int
    }

    /// The state in which an action is complete.
    static var end: Int { 0 }

    private(set) var edges: [[Edge]] = [[]]
    /// The start state.
    private(set) var start = Self.end

    /// Creates the automaton of an alternative or of a part of it.
    ///
    /// - Parameters:
    ///   - shapes: The segments.
    ///   - types: The automata of the segments' types.
    init(_ shapes: some Sequence<SegmentShape>, _ types: TypeAutomata) {
        var isFirst = true
        for shape in shapes {
            start = add(shape, types, before: isFirst ? Self.end : addState(separatedFrom: start))
            isFirst = false
        }
    }

    /// All byte sets of the transitions.
    var byteSets: Set<ByteSet> { Set(edges.joined().compactMap(\.bytes)) }

    // MARK: - Parts of a segment, each with the state that continues after it

    private mutating func add(_ shape: SegmentShape, _ types: TypeAutomata, before next: Int) -> Int {
        guard let first = shape.pieces.first else { return add(text: shape.suffix, before: next) }
        var state = add(text: first.text, before: next)
        let wildcards = shape.pieces.indices.filter { shape.pieces[$0].isWildcard }
        guard let wildcard = wildcards.first, let lastWildcard = wildcards.last else {
            state = add(content: first.type.map { types[$0] }, before: state)
            return add(placedFromEnd: shape.pieces.dropFirst(), shape.suffix, types, before: state)
        }
        for index in 0..<wildcard {
            let text = shape.pieces[index + 1].text
            state = add(content: shape.pieces[index].type.map { types[$0] }, upToFirst: text, before: state)
        }
        state = add(wildcard: shape.pieces[wildcard].type.map { types[$0] }, before: state)
        // Between wildcards, captures have no types, and any division is valid.
        for piece in shape.pieces[wildcard...lastWildcard].dropFirst() {
            state = add(text: piece.text, before: state)
            state = piece.isWildcard ? add(wildcard: nil, before: state) : add(content: nil, before: state)
        }
        return add(placedFromEnd: shape.pieces[(lastWildcard + 1)...], shape.suffix, types, before: state)
    }

    /// Adds captures that are divided from the end of their segment: each text is at its last possible position.
    private mutating func add(
        placedFromEnd pieces: ArraySlice<SegmentShape.Piece>, _ suffix: [UInt8], _ types: TypeAutomata,
        before next: Int
    ) -> Int {
        var state = next
        for piece in pieces {
            state = add(content: piece.type.map { types[$0] }, afterLast: piece.text, before: state)
        }
        return add(text: suffix, before: state)
    }

    /// Adds a text.
    private mutating func add(text: [UInt8], before next: Int) -> Int {
        text.reduce(next) { state, byte in addState([Edge(bytes: ByteSet(byte...byte), target: state)]) }
    }

    /// Adds a capture of at least one byte; without a type, it accepts any bytes.
    private mutating func add(content type: TextAutomaton?, before next: Int) -> Int {
        let type = type ?? Self.anyText
        let first = edges.count
        for _ in type.edges { _ = addState() }
        for (state, ways) in type.edges.enumerated() {
            for way in ways {
                connect(first + state, way.bytes, first + way.target)
                if type.isEnd[way.target] { connect(first + state, way.bytes, next) }
            }
        }
        return first + TextAutomaton.start
    }

    /// Adds a capture of at least one segment, each of whose pieces has the type.
    private mutating func add(wildcard type: TextAutomaton?, before next: Int) -> Int {
        let type = type ?? Self.anyText
        let between = addState()
        let first = edges.count
        for _ in type.edges { _ = addState() }
        for (state, ways) in type.edges.enumerated() {
            for way in ways {
                connect(first + state, way.bytes, first + way.target)
                guard type.isEnd[way.target] else { continue }
                connect(first + state, way.bytes, next)
                connect(first + state, way.bytes, between)
            }
        }
        edges[between].append(Edge(bytes: nil, target: first + TextAutomaton.start))
        return first + TextAutomaton.start
    }

    /// Adds a capture and the preceding text at its last position: at least one byte follows the text, and it does not
    /// occur at a later such position.
    private mutating func add(content type: TextAutomaton?, afterLast text: [UInt8], before next: Int) -> Int {
        let type = type ?? Self.anyText
        let searcher = TextSearcher(text)
        var states = SearchStates(self)
        let begin = states.state(ofContent: TextAutomaton.start, found: -1)
        while let (place, state) = states.nextOpen() {
            if place.textCount == 0 {
                for way in type.edges[place.content] {
                    for (bytes, byte) in searcher.parts(of: way.bytes) {
                        // Matching starts with the second byte: the first one always belongs to the capture.
                        let found = place.found < 0 ? 0 : byte.map { searcher.next(after: place.found, $0) } ?? 0
                        if found == searcher.bytes.count { continue }
                        states.connect(state, bytes, toContent: way.target, found: found)
                    }
                }
            }
            guard place.textCount > 0 || place.found >= 0 && type.isEnd[place.content] else { continue }
            let byte = searcher.bytes[place.textCount]
            let found = searcher.next(after: place.found, byte)
            let isComplete = place.textCount + 1 == searcher.bytes.count
            if isComplete {
                states.connect(state, ByteSet(byte...byte), to: next)
            } else if found < searcher.bytes.count {
                states.connect(state, ByteSet(byte...byte), toText: place.textCount + 1, found: found)
            }
        }
        self = states.automaton
        return begin
    }

    /// Adds a capture and the following text at its first position: at least one byte precedes the text, and it does
    /// not occur at an earlier such position.
    private mutating func add(content type: TextAutomaton?, upToFirst text: [UInt8], before next: Int) -> Int {
        let type = type ?? Self.anyText
        let searcher = TextSearcher(text)
        var states = SearchStates(self)
        let begin = states.state(ofContent: TextAutomaton.start, found: searcher.afterPlace)
        while let (place, state) = states.nextOpen() {
            for way in type.edges[place.content] {
                // This is the first byte of the capture: an occurrence that starts with it would leave the capture
                // empty.
                if type.isEnd[way.target] { states.connect(state, way.bytes, to: next) }
                for (bytes, byte) in searcher.parts(of: way.bytes) {
                    let found = byte.map { searcher.next(after: place.found, $0) } ?? 0
                    if found < searcher.bytes.count {
                        states.connect(state, bytes, toContent: way.target, found: found)
                    }
                }
            }
        }
        self = states.automaton
        return add(text: text, before: begin)
    }

    // MARK: - States

    private static let anyText = TextAutomaton(.byte(.all).atLeast(1))

    mutating func addState(_ ways: [Edge] = []) -> Int {
        edges.append(ways)
        return edges.count - 1
    }

    private mutating func addState(separatedFrom next: Int) -> Int {
        addState([Edge(bytes: nil, target: next)])
    }

    mutating func connect(_ state: Int, _ bytes: ByteSet, _ target: Int) {
        edges[state].append(Edge(bytes: bytes, target: target))
    }
}

/// The states of a capture during a simultaneous text search, which are created when they are reached.
private struct SearchStates {
    struct Place: Hashable {
        /// The state of the capture type's automaton.
        let content: Int
        /// The number of bytes of the text that were read, from its end.
        let textCount: Int
        /// The number of matched bytes of an occurrence; -1 before a match is possible.
        let found: Int
    }

    var automaton: ActionAutomaton
    private var states: [Place: Int] = [:]
    private var open: [(Place, Int)] = []

    init(_ automaton: ActionAutomaton) {
        self.automaton = automaton
    }

    mutating func nextOpen() -> (Place, Int)? { open.popLast() }

    mutating func state(ofContent content: Int, found: Int) -> Int {
        state(of: Place(content: content, textCount: 0, found: found))
    }

    mutating func connect(_ state: Int, _ bytes: ByteSet, to target: Int) {
        automaton.connect(state, bytes, target)
    }

    mutating func connect(_ state: Int, _ bytes: ByteSet, toContent content: Int, found: Int) {
        automaton.connect(state, bytes, self.state(ofContent: content, found: found))
    }

    mutating func connect(_ state: Int, _ bytes: ByteSet, toText textCount: Int, found: Int) {
        automaton.connect(state, bytes, self.state(of: Place(content: -1, textCount: textCount, found: found)))
    }

    private mutating func state(of place: Place) -> Int {
        if let state = states[place] { return state }
        let state = automaton.addState()
        states[place] = state
        open.append((place, state))
        return state
    }
}

extension TextSearcher {
    /// Splits a set into parts with equal search results: each byte of the text, and all other bytes together as nil.
    fileprivate func parts(of set: ByteSet) -> [(ByteSet, UInt8?)] {
        var rest = set
        var parts: [(ByteSet, UInt8?)] = []
        for byte in Set(bytes).sorted() where set.contains(byte) {
            parts.append((ByteSet(byte...byte), byte))
            rest = rest.subtracting(ByteSet(byte...byte))
        }
        if !rest.isEmpty { parts.append((rest, nil)) }
        return parts
    }
}
