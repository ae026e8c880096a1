/// Builds the tree of segments that alternatives share, in flat arrays.
///
/// The alternatives of a node are grouped by their next segment: those with the same segment share an edge.
struct TableBuilder {
    private(set) var nodes: [RoutingTable.Node] = []
    private(set) var edges: [RoutingTable.Edge] = []
    private(set) var literals: [RoutingTable.LiteralEdges.Slot] = []
    private(set) var pieces: [RoutingTable.Piece] = []
    private(set) var texts: [UInt8] = []
    private(set) var alternatives: [RoutingTable.Alternative] = []
    private(set) var steps: [RoutingTable.Step] = []
    private(set) var stepCaptures: [Int] = []
    private let ranked: RankedAlternatives
    /// The ranks of the alternatives; those that share a node are adjacent.
    private var order: [Int]
    /// Where each node comes from; parents precede their children.
    private var origins: [Origin]
    /// The node at which each alternative ends.
    private var ends: [Int]

    private struct Origin {
        /// The alternatives that pass through or end at the node, as indices into `order`.
        let members: Range<Int>
        /// The number of segments before the node.
        let depth: Int
        let parent: Int
        /// The edge to the node, or -1 for a literal one.
        let edge: Int
        /// Whether the segment before the node has a wildcard.
        let isBehindWildcard: Bool
        /// Whether any segment before the node has a wildcard.
        let isBelowWildcard: Bool
    }

    init(_ ranked: RankedAlternatives) {
        self.ranked = ranked
        order = Array(ranked.all.indices)
        ends = Array(repeating: 0, count: order.count)
        origins = [
            Origin(
                members: order.indices, depth: 0, parent: 0, edge: -1, isBehindWildcard: false, isBelowWildcard: false)
        ]
    }

    mutating func addNodes() {
        while nodes.count < origins.count { addNode(origins[nodes.count]) }
    }

    private mutating func addNode(_ origin: Origin) {
        var node = RoutingTable.Node()
        let literalCount = literals.count
        node.firstEdge = Int32(edges.count)
        var shapes: [SegmentShape] = []
        for members in sortedRuns(of: origin) {
            let segments = ranked.all[order[members.lowerBound]].segments
            if origin.depth < segments.count {
                let shape = segments[origin.depth]
                addEdge(shape, of: members, after: origin)
                if !shape.isLiteral { shapes.append(shape) }
            } else {
                for rank in order[members] {
                    ends[rank] = nodes.count
                    node.end = min(node.end, Int32(rank))
                }
            }
        }
        endRuns(of: shapes)
        node.hasLiterals = literals.count > literalCount
        node.edgeCount = Int32(edges.count) - node.firstEdge
        if node.edgeCount > 0 {
            let isSingle = node.edgeCount == 1 && !node.hasLiterals && edges[edges.count - 1].kind == .parameter
            node.ways = isSingle ? .parameter : .several
        }
        nodes.append(node)
    }

    /// Groups the alternatives of a node by their next segment, in the order of ranks; those that end there come first.
    private mutating func sortedRuns(of origin: Origin) -> [Range<Int>] {
        // Only a table without routes has a node without alternatives.
        guard origin.members.count > 1 else { return origin.members.isEmpty ? [] : [origin.members] }
        var groups: [SegmentShape: [Int]] = [:]
        var ended: [Int] = []
        for rank in order[origin.members] {
            let segments = ranked.all[rank].segments
            if origin.depth < segments.count {
                groups[segments[origin.depth], default: []].append(rank)
            } else {
                ended.append(rank)
            }
        }
        var runs = groups.sorted { one, other in
            let ranks = (one.key.rank, other.key.rank)
            return ranks.0 == ranks.1 ? one.value[0] < other.value[0] : ranks.0 < ranks.1
        }.map(\.value)
        if !ended.isEmpty { runs.insert(ended, at: 0) }
        var start = origin.members.lowerBound
        return runs.map { members in
            defer { start += members.count }
            order.replaceSubrange(start..<start + members.count, with: members)
            return start..<start + members.count
        }
    }

    private mutating func addEdge(_ shape: SegmentShape, of members: Range<Int>, after origin: Origin) {
        let isLiteral = shape.isLiteral
        if isLiteral {
            let word = RoutingTable.LiteralEdges.firstWord(of: shape.suffix.span)
            literals.append(
                RoutingTable.LiteralEdges.Slot(
                    node: Int32(nodes.count), target: Int32(origins.count), text: add(shape.suffix), firstWord: word))
        } else {
            add(shape, isNested: origin.isBelowWildcard && shape.hasWildcard)
        }
        origins.append(
            Origin(
                members: members, depth: origin.depth + 1, parent: nodes.count, edge: isLiteral ? -1 : edges.count - 1,
                isBehindWildcard: shape.hasWildcard, isBelowWildcard: origin.isBelowWildcard || shape.hasWildcard))
    }

    private mutating func add(_ shape: SegmentShape, isNested: Bool) {
        let firstPiece = pieces.count
        for piece in shape.pieces {
            let type = Int32(piece.type ?? -1)
            pieces.append(RoutingTable.Piece(text: add(piece.text), type: type, isWildcard: piece.isWildcard))
        }
        edges.append(
            RoutingTable.Edge(
                kind: shape.hasWildcard ? .wildcard : shape.rank.kind == .parameter ? .parameter : .mixed,
                isNested: isNested,
                type: pieces[firstPiece].type,
                target: Int32(origins.count),
                firstPiece: Int32(firstPiece),
                pieceCount: Int32(shape.pieces.count),
                lastWildcard: Int32(shape.pieces.lastIndex(where: \.isWildcard) ?? -1),
                isWholeWildcard: shape.isWholeWildcard,
                suffix: add(shape.suffix)
            )
        )
    }

    private mutating func add(_ text: [UInt8]) -> RoutingTable.Text {
        defer { texts += text }
        return RoutingTable.Text(start: Int32(texts.count), count: Int32(text.count))
    }

    /// Completes the last edges, whose segments are given.
    private mutating func endRuns(of shapes: [SegmentShape]) {
        let first = edges.count - shapes.count
        for offset in shapes.indices.reversed() {
            let (edge, next) = (first + offset, offset + 1)
            let isSameRank = next < shapes.count && shapes[next].rank == shapes[offset].rank
            edges[edge].rankEnd = isSameRank ? edges[edge + 1].rankEnd : Int32(edge + 1)
        }
    }

    /// Adds the bounds of each node to those of its parent.
    mutating func addBounds() {
        // In reverse order, each node is complete before its parent uses its bounds.
        for index in nodes.indices.reversed() {
            var node = nodes[index]
            if node.end != Int32.max {
                node.best = min(node.best, node.end)
                node.leastRest = 0
            }
            nodes[index] = node
            if index == 0 { return }
            let origin = origins[index]
            var parent = nodes[origin.parent]
            parent.best = min(parent.best, node.best)
            parent.leastRest = min(parent.leastRest, node.leastRest + 1)
            let isEndless = origin.isBehindWildcard || node.mostRest == Int32.max
            parent.mostRest = isEndless ? Int32.max : max(parent.mostRest, node.mostRest + 1)
            nodes[origin.parent] = parent
        }
    }

    mutating func addSteps() {
        for (rank, alternative) in ranked.all.enumerated() {
            let firstStep = steps.count
            // A closure that captured the builder would copy it for each alternative.
            let path = Self.edges(to: ends[rank], origins)
            let lastWildcard = path.lastIndex { [edges] in $0 >= 0 && edges[$0].kind == .wildcard } ?? -1
            var gap = 0
            var captures = alternative.captures[...]
            for (position, edge) in path.enumerated() {
                if edge < 0 {
                    gap += 1
                    continue
                }
                steps.append(
                    RoutingTable.Step(
                        gap: Int32(gap), edge: Int32(edge), firstCapture: Int32(stepCaptures.count),
                        rest: lastWildcard > position ? -1 : Int32(path.count - position - 1)))
                let count = Int(edges[edge].pieceCount)
                stepCaptures += captures.prefix(count)
                captures = captures.dropFirst(count)
                gap = 0
            }
            alternatives.append(
                RoutingTable.Alternative(
                    route: Int32(alternative.route), firstStep: Int32(firstStep),
                    stepCount: Int32(steps.count - firstStep)))
        }
    }

    /// Returns the edges from the root to a node, -1 for literal ones.
    private static func edges(to node: Int, _ origins: [Origin]) -> [Int] {
        var path: [Int] = []
        var node = node
        while node > 0 {
            path.append(origins[node].edge)
            node = origins[node].parent
        }
        return path.reversed()
    }
}
