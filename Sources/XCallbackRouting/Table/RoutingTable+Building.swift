/// The flat arrays of a table while they are filled.
struct TableLayout {
    let tree: RouteTree
    var nodes: [RoutingTable.Node]
    var edges: [RoutingTable.Edge] = []
    var pieces: [RoutingTable.Piece] = []
    var texts: [UInt8] = []
    var literals: LiteralEdges
    var edgeIndex = EdgeIndex()
    var alternatives: [RoutingTable.Alternative] = []
    var steps: [RoutingTable.Step] = []
    var stepCaptures: [Int] = []
    /// The edge that leads to each node, and whether a wildcard is on the way to it.
    private var edgeTo: [Int32]
    private var isBelowWildcard: [Bool]

    init(_ tree: RouteTree) {
        self.tree = tree
        nodes = Array(repeating: RoutingTable.Node(), count: tree.nodes.count)
        literals = LiteralEdges(capacity: tree.nodes.count)
        edgeTo = Array(repeating: -1, count: tree.nodes.count)
        isBelowWildcard = Array(repeating: false, count: tree.nodes.count)
    }

    mutating func addNodes() {
        for index in tree.nodes.indices {
            nodes[index].firstEdge = Int32(edges.count)
            let children = tree.nodes[index].children
            for group in children.byRank {
                guard group[group.startIndex].shape.isLiteral || group.count <= EdgeIndex.fewEdges else {
                    let number = edgeIndex.add(group.map(\.shape), tree.types, first: edges.count)
                    for (position, child) in group.enumerated() {
                        let isLast = position == group.count - 1
                        addEdge(child, from: index, endsRank: isLast, group: position == 0 ? number : -1)
                    }
                    continue
                }
                for (position, child) in group.enumerated() {
                    addEdge(child, from: index, endsRank: position == group.count - 1)
                }
            }
            nodes[index].edgeCount = Int32(edges.count) - nodes[index].firstEdge
            nodes[index].ways = ways(from: nodes[index])
        }
        // Children come after their parents, so backwards each child is complete before it is asked.
        for index in tree.nodes.indices.reversed() { addBounds(index) }
    }

    private func ways(from node: RoutingTable.Node) -> RoutingTable.Ways {
        if node.edgeCount == 0 { return .literal }
        return node.edgeCount == 1 && !node.hasLiterals && edges.last?.kind == .parameter ? .parameter : .several
    }

    private mutating func addEdge(_ child: RouteTree.Child, from node: Int, endsRank: Bool, group: Int = -1) {
        isBelowWildcard[child.node] = isBelowWildcard[node] || child.shape.hasWildcard
        guard !child.shape.isLiteral else {
            literals.insert(child.shape.suffix, from: node, to: child.node)
            nodes[node].hasLiterals = true
            return
        }
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

    private mutating func addBounds(_ index: Int) {
        var node = nodes[index]
        if let end = tree.nodes[index].end {
            node.end = Int32(end)
            node.best = node.end
            node.leastRest = 0
        }
        for child in tree.nodes[index].children {
            let next = nodes[child.node]
            node.best = min(node.best, next.best)
            node.leastRest = min(node.leastRest, next.leastRest + 1)
            let isEndless = child.shape.hasWildcard || next.mostRest == Int32.max
            node.mostRest = isEndless ? Int32.max : max(node.mostRest, next.mostRest + 1)
        }
        nodes[index] = node
    }

    mutating func addAlternatives() {
        for alternative in tree.alternatives {
            let firstStep = steps.count
            var gap = 0
            var nextCapture = alternative.firstCapture
            for (position, shape) in alternative.shapes.enumerated() {
                guard !shape.isLiteral else {
                    gap += 1
                    continue
                }
                let rest = alternative.shapes[(position + 1)...]
                steps.append(
                    RoutingTable.Step(
                        gap: Int32(gap),
                        edge: edgeTo[tree.node(after: position, of: alternative)],
                        firstCapture: Int32(stepCaptures.count),
                        rest: rest.contains(where: \.hasWildcard) ? -1 : Int32(rest.count)
                    )
                )
                stepCaptures += tree.captures[nextCapture..<nextCapture + shape.pieces.count]
                nextCapture += shape.pieces.count
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
