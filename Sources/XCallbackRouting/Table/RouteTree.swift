/// The alternatives of all routes, in order of precedence, and the tree of segments they share.
///
/// It is what a table is built from and what conflicts are looked for in; no request sees it.
struct RouteTree {
    /// One way to include and leave out the optional groups of a route's pattern.
    struct Alternative {
        /// The index of the route.
        let route: Int
        /// Its segments, as indices into ``RouteTree/segments``.
        let segments: Range<Int>
        /// Where the captures of its segments begin among those of all alternatives.
        let firstCapture: Int
    }

    /// A segment of an alternative.
    struct Segment {
        let rank: SegmentRank
        /// The node after it.
        fileprivate(set) var node: Int32 = 0
        /// Where it begins in the segments of its pattern.
        fileprivate let position: PatternSegments.Position
    }

    /// What all alternatives with the same beginning share.
    struct Node {
        /// The ways on by segments with captures, the most specific first.
        fileprivate(set) var children: [Child] = []
        /// Whether there are ways on by segments of text.
        fileprivate(set) var hasLiterals = false
        /// The node before it; the root is its own.
        let parent: Int
        /// Whether the segment that leads here has a wildcard.
        let isBehindWildcard: Bool
        /// The first alternative that ends here, in order of precedence; nil if none does.
        fileprivate(set) var end: Int?
        /// Whether another one ends here too.
        fileprivate(set) var isShared = false
    }

    /// A way on from a node by a segment with captures.
    struct Child {
        let shape: SegmentShape
        let rank: SegmentRank
        let node: Int
    }

    /// A way on by text and captures in one segment.
    private struct MixedKey: Hashable {
        let node: Int
        let shape: SegmentShape
    }

    /// The types of all captures, each name once.
    private(set) var types: [CaptureType] = []
    /// All alternatives; of two that match, the one with the lower index answers.
    private(set) var alternatives: [Alternative] = []
    /// The segments of all alternatives.
    private(set) var segments: [Segment] = []
    /// The nodes, parents before children; the first is the root.
    private(set) var nodes = [Node(parent: 0, isBehindWildcard: false)]
    /// The ways on by text.
    private(set) var literals = LiteralEdges()
    /// The captures of all segments of all alternatives in turn, as indices into their patterns'.
    private(set) var captures: [Int] = []
    private let patterns: [PatternSegments]
    /// The declared types of each route that has some: for each capture of its pattern, an index into ``types``.
    private var captureTypes: [Int: [Int?]] = [:]
    private var mixed: [MixedKey: Int] = [:]
    /// By the bytes of their names: texts that only look alike are two.
    private var typesByName: [[UInt8]: Int] = [:]

    init(_ routes: [RoutingTable.Route]) {
        patterns = routes.map(\.pattern.segments)
        alternatives.reserveCapacity(routes.count)
        segments.reserveCapacity(routes.count * 3)
        for (index, route) in routes.enumerated() {
            // Hardly any route has types.
            if !route.types.isEmpty {
                captureTypes[index] = route.pattern.captures.map { route.types[$0.name].map { self.index(of: $0) } }
            }
            appendAlternatives(ofRoute: index)
        }
        sortAlternatives()
        for index in alternatives.indices { insert(index) }
        for index in nodes.indices where nodes[index].children.count > 1 {
            nodes[index].children.sort { $0.rank < $1.rank }
        }
    }

    /// The node at which an alternative ends.
    func end(of alternative: Alternative) -> Node {
        nodes[alternative.segments.isEmpty ? 0 : Int(segments[alternative.segments.upperBound - 1].node)]
    }

    /// The shapes of an alternative's segments.
    func shapes(of alternative: Alternative) -> [SegmentShape] {
        let (pattern, types) = (patterns[alternative.route], captureTypes[alternative.route] ?? [])
        return segments[alternative.segments].map { SegmentShape(pattern, from: $0.position, types: types) }
    }

    /// How specific each segment of an alternative is.
    func ranks(of alternative: Alternative) -> [SegmentRank] { segments[alternative.segments].map(\.rank) }

    private mutating func sortAlternatives() {
        var tree = PrecedenceTree()
        for (index, alternative) in alternatives.enumerated() { tree.add(index, segments[alternative.segments]) }
        alternatives = tree.sorted().map { alternatives[$0] }
    }

    private mutating func appendAlternatives(ofRoute route: Int) {
        let (pattern, types) = (patterns[route], captureTypes[route] ?? [])
        var position = PatternSegments.start
        var (firstSegment, firstCapture) = (segments.count, captures.count)
        while position != pattern.end {
            if pattern.elements[position.element] == .alternativeEnd {
                alternatives.append(
                    Alternative(route: route, segments: firstSegment..<segments.count, firstCapture: firstCapture))
                (firstSegment, firstCapture) = (segments.count, captures.count)
                position.element += 1
            } else {
                let start = position
                let rank = SegmentRank(pattern, at: &position, types: types) { captures.append($0) }
                segments.append(Segment(rank: rank, position: start))
            }
        }
    }

    private mutating func index(of type: CaptureType) -> Int {
        let name = Array(type.name.utf8)
        if let index = typesByName[name] { return index }
        typesByName[name] = types.count
        types.append(type)
        return types.count - 1
    }

    private mutating func insert(_ index: Int) {
        let alternative = alternatives[index]
        var node = 0
        for position in alternative.segments {
            node = child(of: node, by: segments[position], in: alternative.route)
            segments[position].node = Int32(node)
        }
        nodes[node].isShared = nodes[node].end != nil
        nodes[node].end = nodes[node].end ?? index
    }

    /// The node to which a segment leads, which is added if it is new.
    private mutating func child(of node: Int, by segment: Segment, in route: Int) -> Int {
        let rank = segment.rank
        switch rank.kind {
        case .literal:
            let texts = patterns[route].texts
            let text = texts.span.extracting(patterns[route].textRange(at: segment.position))
            if let child = literals.target(of: text, from: node) { return child }
            literals.insert(text, from: node, to: nodes.count)
            nodes[node].hasLiterals = true
            nodes.append(Node(parent: node, isBehindWildcard: false))
            return nodes.count - 1
        case .parameter where rank.typeCount == 0, .wildcard where rank.typeCount == 0:
            // There is at most one of each, and it was added last.
            for child in nodes[node].children.reversed() where child.rank == rank {
                return child.node
            }
            let shape = SegmentShape(patterns[route], from: segment.position, types: captureTypes[route] ?? [])
            return add(shape, rank, to: node)
        case .partlyLiteral, .parameter, .wildcard:
            let shape = SegmentShape(patterns[route], from: segment.position, types: captureTypes[route] ?? [])
            // One search: `default` puts the number there if the key is new.
            let child = { (node: inout Int) in node }(&mixed[MixedKey(node: node, shape: shape), default: nodes.count])
            return child < nodes.count ? child : add(shape, rank, to: node)
        }
    }

    private mutating func add(_ shape: SegmentShape, _ rank: SegmentRank, to node: Int) -> Int {
        nodes[node].children.append(Child(shape: shape, rank: rank, node: nodes.count))
        nodes.append(Node(parent: node, isBehindWildcard: rank.hasWildcard))
        return nodes.count - 1
    }
}

extension RoutePattern.Part {
    /// The capture this part is, if it is one.
    var capture: Int? {
        switch self {
        case .text: nil
        case .parameter(let capture), .wildcard(let capture): capture
        }
    }
}
