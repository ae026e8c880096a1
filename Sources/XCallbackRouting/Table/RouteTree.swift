/// The alternatives of all routes, in order of precedence, and the tree of segments they share.
///
/// Tables are built from it, and conflicts are searched in it; requests do not use it.
struct RouteTree {
    /// One way to include and omit the optional groups of a route's pattern.
    struct Alternative {
        /// The index of the route.
        let route: Int
        /// The range of its segments in ``RouteTree/segments``.
        let segments: Range<Int>
        /// The index of its first capture among those of all alternatives.
        let firstCapture: Int
    }

    /// A segment of an alternative.
    struct Segment {
        let rank: SegmentRank
        /// The node after it.
        fileprivate(set) var node: Int32 = 0
        /// The start of the segment in its pattern's segments.
        fileprivate let position: PatternSegments.Position
    }

    /// A node that all alternatives with the same beginning share.
    struct Node {
        /// The edges with captures, the most specific first.
        fileprivate(set) var children: [Child] = []
        /// Whether the node has literal edges.
        fileprivate(set) var hasLiterals = false
        /// The parent; the root is its own parent.
        let parent: Int
        /// Whether the segment that leads to the node has a wildcard.
        let isBehindWildcard: Bool
        /// The first alternative that ends here, in order of precedence; nil if none does.
        fileprivate(set) var end: Int?
        /// Whether another alternative ends here too.
        fileprivate(set) var isShared = false
    }

    /// An edge with captures.
    struct Child {
        let shape: SegmentShape
        let rank: SegmentRank
        let node: Int
    }

    /// The key of an edge with text and captures in one segment.
    private struct MixedKey: Hashable {
        let node: Int
        let shape: SegmentShape
    }

    /// The types of all captures, without duplicate names.
    private(set) var types: [CaptureType] = []
    /// All alternatives; of two that match, the one with the lower index wins.
    private(set) var alternatives: [Alternative] = []
    /// The segments of all alternatives.
    private(set) var segments: [Segment] = []
    /// The nodes, parents before children; the first is the root.
    private(set) var nodes = [Node(parent: 0, isBehindWildcard: false)]
    /// The literal edges.
    private(set) var literals = LiteralEdges()
    /// The captures of all segments of all alternatives, in order, as indices into the captures of their patterns.
    private(set) var captures: [Int] = []
    private let patterns: [PatternSegments]
    /// The declared types of each route with types: for each capture of its pattern, an index into ``types``.
    private var captureTypes: [Int: [Int?]] = [:]
    private var mixed: [MixedKey: Int] = [:]
    /// Keyed by the bytes of names: texts that only look alike are different.
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

    /// Returns the rank of each segment of an alternative.
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

    /// Returns the node to which a segment leads; adds a new one if necessary.
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
            // There is at most one of each kind, which was added last.
            for child in nodes[node].children.reversed() where child.rank == rank {
                return child.node
            }
            let shape = SegmentShape(patterns[route], from: segment.position, types: captureTypes[route] ?? [])
            return add(shape, rank, to: node)
        case .partlyLiteral, .parameter, .wildcard:
            let shape = SegmentShape(patterns[route], from: segment.position, types: captureTypes[route] ?? [])
            // A single lookup: `default` inserts the number for a new key.
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
    /// The index of the capture, if the part is one.
    var capture: Int? {
        switch self {
        case .text: nil
        case .parameter(let capture), .wildcard(let capture): capture
        }
    }
}
