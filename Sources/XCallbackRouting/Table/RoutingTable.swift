/// Finds the route that answers an action; built once and immutable.
///
/// The routes are a tree of segments in flat arrays. Of all matching routes, the most specific one answers, regardless
/// of their order: per segment, text comes first, then text with captures (more bytes of text first, then without a
/// wildcard), parameters, and wildcards; among equals, more typed captures come first. The leftmost difference decides,
/// and a longer pattern precedes a shorter one.
///
/// The cost of a match does not grow with the number of routes. It visits no node twice for the same segment, so its
/// cost is bounded by the number of reachable nodes times the length of the action. It allocates nothing, unless a
/// pattern with two wildcards is a candidate or `captures` must grow.
package final class RoutingTable: Sendable {
    /// A pattern and the types of its captures.
    package struct Route: Sendable {
        /// The pattern of the route's actions.
        package let pattern: RoutePattern
        /// The declared types by capture name; a capture without a type accepts any text.
        package let types: CaptureTypes

        /// Creates a route.
        package init(pattern: RoutePattern, types: CaptureTypes = [:]) {
            self.pattern = pattern
            self.types = types
        }
    }

    /// The match of an action.
    package struct Match: Sendable {
        /// The index of the route.
        package let route: Int
        fileprivate let rank: Int
    }

    let nodes: [Node]
    let edges: [Edge]
    let pieces: [Piece]
    let texts: [UInt8]
    let literals: LiteralEdges
    let edgeIndex: EdgeIndex
    let types: [CaptureType]
    /// The alternatives of all routes in order of precedence; an index into it is also called the rank of the
    /// alternative.
    let alternatives: [Alternative]
    let steps: [Step]
    /// The captures of all steps, as indices into the captures of their patterns.
    let stepCaptures: [Int]

    /// Creates a table.
    ///
    /// - Parameter routes: The routes; results refer to their indices.
    /// - Throws: ``RoutingConflicts`` if routes answer the same action and neither is more specific.
    package convenience init(_ routes: [Route]) throws(RoutingConflicts) {
        let tree = RouteTree(routes)
        var search = ConflictSearch(tree)
        let conflicts = search.conflicts()
        guard conflicts.isEmpty else { throw RoutingConflicts(conflicts: conflicts) }
        self.init(tree)
    }

    /// Converts a tree to flat arrays, regardless of conflicts.
    init(_ tree: RouteTree) {
        var layout = TableLayout(tree)
        layout.addNodes()
        layout.addAlternatives()
        nodes = layout.nodes
        edges = layout.edges
        pieces = layout.pieces
        texts = layout.texts
        literals = tree.literals
        edgeIndex = layout.edgeIndex
        types = tree.types
        alternatives = layout.alternatives
        steps = layout.steps
        stepCaptures = layout.stepCaptures
    }

    /// Finds the route that answers an action.
    ///
    /// - Parameters:
    ///   - bytes: A buffer that holds the decoded segments.
    ///   - segments: The range of each segment in `bytes`; none is empty.
    ///   - captures: Cleared first; after a match, it contains the captured pieces in the order of the pattern. If
    ///     reused, it stops growing.
    /// - Returns: The index of the route; nil if none answers.
    package func match(
        _ bytes: Span<UInt8>, segments: Span<Range<Int>>, into captures: inout [Capture]
    ) -> Int? {
        guard let match = match(bytes, segments: segments, scratch: &captures) else { return nil }
        capture(match, bytes, segments: segments, into: &captures)
        return match.route
    }

    /// Finds the route that answers an action, without its captures.
    ///
    /// - Parameters:
    ///   - bytes: A buffer that holds the decoded segments.
    ///   - segments: The range of each segment in `bytes`; none is empty.
    ///   - scratch: Memory for tentative captures; empty afterward.
    /// - Returns: The match; nil if no route answers.
    package func match(
        _ bytes: Span<UInt8>, segments: Span<Range<Int>>, scratch: inout [Capture]
    ) -> Match? {
        if !scratch.isEmpty { scratch.clear() }
        // A table has at least its root, and all node indices are valid.
        return nodes.withUnsafeBufferPointer { nodes -> Match? in
            var node = 0
            for index in segments.indices {
                if nodes[node].ways == .several {
                    return match(rank(from: node, at: index, bytes, segments, scratch: &scratch))
                }
                let segment = segments[unchecked: index]
                guard let next = onlyWay(from: nodes[node], at: node, by: segment, in: bytes) else { return nil }
                node = next
            }
            return match(Int(nodes[node].end))
        }
    }

    @inline(__always)
    private func match(_ rank: Int) -> Match? {
        rank == Self.none ? nil : Match(route: Int(alternatives[rank].route), rank: rank)
    }

    /// Appends the captures of a match of the same action, in the order of the pattern.
    package func capture(
        _ match: Match, _ bytes: Span<UInt8>, segments: Span<Range<Int>>, into captures: inout [Capture]
    ) {
        capture(match.rank, bytes, segments, into: &captures)
    }
}
