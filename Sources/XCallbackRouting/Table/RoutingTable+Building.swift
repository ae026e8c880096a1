/// The flat arrays of a table under construction.
struct TableLayout {
    let tree: RouteTree
    var nodes: [RoutingTable.Node]
    var edges: [RoutingTable.Edge] = []
    var pieces: [RoutingTable.Piece] = []
    var texts: [UInt8] = []
    var edgeIndex = EdgeIndex()
    var alternatives: [RoutingTable.Alternative] = []
    var steps: [RoutingTable.Step] = []
    var stepCaptures: [Int] = []
    /// The edge to each node, and whether the path to it has a wildcard.
    private var edgeTo: [Int32]
    private var isBelowWildcard: [Bool]

    init(_ tree: RouteTree) {
        self.tree = tree
        nodes = Array(repeating: RoutingTable.Node(), count: tree.nodes.count)
        edgeTo = Array(repeating: -1, count: tree.nodes.count)
        isBelowWildcard = Array(repeating: false, count: tree.nodes.count)
    }

    mutating func addNodes() {
        // Parents precede their children.
        for index in tree.nodes.indices {
            isBelowWildcard[index] = tree.nodes[index].isBehindWildcard || isBelowWildcard[tree.nodes[index].parent]
            nodes[index].firstEdge = Int32(edges.count)
            nodes[index].hasLiterals = tree.nodes[index].hasLiterals
            if !tree.nodes[index].children.isEmpty { addEdges(from: index) }
            nodes[index].edgeCount = Int32(edges.count) - nodes[index].firstEdge
            nodes[index].ways = ways(from: nodes[index])
        }
        // In reverse order, each node is complete before its parent uses its bounds.
        for index in tree.nodes.indices.reversed() { addBounds(index) }
    }

    private mutating func addEdges(from node: Int) {
        let children = tree.nodes[node].children
        var start = 0
        while start < children.count {
            let group = children[start...].prefix { $0.rank == children[start].rank }
            var number = -1
            if group.count > EdgeIndex.fewEdges {
                number = edgeIndex.add(group.map(\.shape), tree.types, first: edges.count)
            }
            for child in group {
                let isFirst = edges.count - Int(nodes[node].firstEdge) == start
                start += 1
                addEdge(child, from: node, endsRank: start == group.endIndex, group: isFirst ? number : -1)
            }
        }
    }

    private func ways(from node: RoutingTable.Node) -> RoutingTable.Ways {
        if node.edgeCount == 0 { return .literal }
        return node.edgeCount == 1 && !node.hasLiterals && edges.last?.kind == .parameter ? .parameter : .several
    }

    private mutating func addEdge(_ child: RouteTree.Child, from node: Int, endsRank: Bool, group: Int) {
        edgeTo[child.node] = Int32(edges.count)
        let firstPiece = pieces.count
        for piece in child.shape.pieces {
            let type = Int32(piece.type ?? -1)
            pieces.append(RoutingTable.Piece(text: add(piece.text), type: type, isWildcard: piece.isWildcard))
        }
        edges.append(
            RoutingTable.Edge(
                kind: child.shape.hasWildcard ? .wildcard : child.rank.kind == .parameter ? .parameter : .mixed,
                endsRank: endsRank,
                group: Int32(group),
                isNested: isBelowWildcard[node] && child.shape.hasWildcard,
                type: pieces[firstPiece].type,
                target: Int32(child.node),
                firstPiece: Int32(firstPiece),
                pieceCount: Int32(pieces.count - firstPiece),
                lastWildcard: Int32(child.shape.pieces.lastIndex(where: \.isWildcard) ?? -1),
                suffix: add(child.shape.suffix)
            )
        )
    }

    private mutating func add(_ text: [UInt8]) -> RoutingTable.Text {
        defer { texts += text }
        return RoutingTable.Text(start: Int32(texts.count), count: Int32(text.count))
    }

    /// Completes the bounds of a node whose children are complete, and merges them into those of its parent.
    private mutating func addBounds(_ index: Int) {
        let source = tree.nodes[index]
        var node = nodes[index]
        if let end = source.end {
            node.end = Int32(end)
            node.best = min(node.best, node.end)
            node.leastRest = 0
        }
        nodes[index] = node
        if index == 0 { return }
        var parent = nodes[source.parent]
        parent.best = min(parent.best, node.best)
        parent.leastRest = min(parent.leastRest, node.leastRest + 1)
        let isEndless = source.isBehindWildcard || node.mostRest == Int32.max
        parent.mostRest = isEndless ? Int32.max : max(parent.mostRest, node.mostRest + 1)
        nodes[source.parent] = parent
    }

    mutating func addAlternatives() {
        for alternative in tree.alternatives {
            let segments = tree.segments[alternative.segments]
            let lastWildcard = segments.lastIndex { $0.rank.hasWildcard } ?? -1
            let firstStep = steps.count
            var gap = 0
            var nextCapture = alternative.firstCapture
            for position in segments.indices {
                guard segments[position].rank.kind != .literal else {
                    gap += 1
                    continue
                }
                let edge = edgeTo[Int(segments[position].node)]
                let rest = segments.endIndex - position - 1
                steps.append(
                    RoutingTable.Step(
                        gap: Int32(gap), edge: edge, firstCapture: Int32(stepCaptures.count),
                        rest: lastWildcard > position ? -1 : Int32(rest)))
                let captureCount = Int(edges[Int(edge)].pieceCount)
                stepCaptures += tree.captures[nextCapture..<nextCapture + captureCount]
                nextCapture += captureCount
                gap = 0
            }
            alternatives.append(
                RoutingTable.Alternative(
                    route: Int32(alternative.route),
                    firstStep: Int32(firstStep),
                    stepCount: Int32(steps.count - firstStep)
                )
            )
        }
    }
}
