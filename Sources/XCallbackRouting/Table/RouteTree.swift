/// The alternatives of all routes, in order of precedence, and the tree of segments they share.
///
/// It is what a table is built from and what conflicts are looked for in; no request sees it.
struct RouteTree {
    /// One way to include and leave out the optional groups of a route's pattern.
    struct Alternative {
        /// The index of the route.
        let route: Int
        let shapes: [SegmentShape]
        /// Where the captures of its segments begin among those of all alternatives.
        let firstCapture: Int
        /// Where the nodes after its segments begin among those of all alternatives.
        fileprivate var firstNode = 0

        /// How specific each segment is.
        var ranks: [SegmentRank] { shapes.map(\.rank) }
    }

    /// What all alternatives with the same beginning share.
    struct Node {
        var children: [Child] = []
        /// The first alternative that ends here, in order of precedence; nil if none does.
        fileprivate(set) var end: Int?
        /// Whether another one ends here too.
        fileprivate(set) var isShared = false
    }

    /// A way on from a node.
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
    /// The nodes, parents before children; the first is the root.
    private(set) var nodes: [Node] = [Node()]
    /// The captures of all segments of all alternatives in turn, as indices into their patterns'.
    private(set) var captures: [Int] = []
    /// The nodes after the segments of all alternatives.
    private var paths: [Int] = []
    private var literals: LiteralEdges
    private var mixed: [MixedKey: Int] = [:]
    /// By the bytes of their names: texts that only look alike are two.
    private var typesByName: [[UInt8]: Int] = [:]

    init(_ routes: [RoutingTable.Route]) {
        literals = LiteralEdges(capacity: 0)
        for (index, route) in routes.enumerated() { append(route, index: index) }
        sortAlternatives()
        literals = LiteralEdges(capacity: alternatives.reduce(0) { $0 + $1.shapes.count })
        for index in alternatives.indices { insert(index) }
        for index in nodes.indices where nodes[index].children.count > 1 {
            nodes[index].children.sort { $0.rank < $1.rank }
        }
    }

    /// The node after a segment of an alternative.
    func node(after segment: Int, of alternative: Alternative) -> Int { paths[alternative.firstNode + segment] }

    /// The node at which an alternative ends.
    func end(of alternative: Alternative) -> Node {
        nodes[alternative.shapes.isEmpty ? 0 : node(after: alternative.shapes.count - 1, of: alternative)]
    }

    /// The node to which this very text leads.
    private func child(of node: Int, byLiteral shape: SegmentShape) -> Int? {
        literals.target(of: shape.suffix.span, from: node)
    }

    private mutating func sortAlternatives() {
        var tree = PrecedenceTree()
        for index in alternatives.indices { tree.add(index, alternatives[index].shapes) }
        alternatives = tree.sorted().map { alternatives[$0] }
    }

    private mutating func append(_ route: RoutingTable.Route, index: Int) {
        // Hardly any route has types.
        let types: [Int?] =
            route.types.isEmpty
            ? [] : route.pattern.captures.map { route.types[$0.name].map { self.index(of: $0) } }
        for segments in route.pattern.alternatives {
            let firstCapture = captures.count
            for segment in segments {
                for part in segment { if let capture = part.capture { captures.append(capture) } }
            }
            let shapes = segments.map { SegmentShape($0, types: types) }
            alternatives.append(Alternative(route: index, shapes: shapes, firstCapture: firstCapture))
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
        var node = 0
        let shapes = alternatives[index].shapes
        alternatives[index].firstNode = paths.count
        for shape in shapes {
            let rank = shape.rank
            let child = child(of: node, by: shape, rank)
            if child == nodes.count {
                nodes[node].children.append(Child(shape: shape, rank: rank, node: child))
                nodes.append(Node())
            }
            node = child
            paths.append(node)
        }
        nodes[node].isShared = nodes[node].end != nil
        nodes[node].end = nodes[node].end ?? index
    }

    /// The node to which a way leads, or the number of the next new one, which is noted as its end by then.
    private mutating func child(of node: Int, by shape: SegmentShape, _ rank: SegmentRank) -> Int {
        switch rank.kind {
        case .literal:
            if let child = child(of: node, byLiteral: shape) { return child }
            literals.insert(shape.suffix, from: node, to: nodes.count)
            return nodes.count
        case .parameter where rank.typeCount == 0, .wildcard where rank.typeCount == 0:
            // There is one at most of each, and it was added last.
            for child in nodes[node].children.reversed() where child.shape == shape { return child.node }
            return nodes.count
        case .partlyLiteral, .parameter, .wildcard:
            // One search: `default` puts the number there if the key is new.
            return { (node: inout Int) in node }(&mixed[MixedKey(node: node, shape: shape), default: nodes.count])
        }
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

extension [RouteTree.Child] {
    /// Sorted children in groups that are equally specific.
    var byRank: [ArraySlice<RouteTree.Child>] {
        var groups: [ArraySlice<RouteTree.Child>] = []
        var start = 0
        for index in indices where index + 1 == count || self[index + 1].rank != self[index].rank {
            groups.append(self[start...index])
            start = index + 1
        }
        return groups
    }
}
