/// Alternatives in order of precedence: a tree by the ranks of their segments.
///
/// Thousands of alternatives have only a few ranks, so finding the path of each is cheaper than pairwise comparison.
struct PrecedenceTree {
    private struct Node {
        /// The children, the most specific first, by ``SegmentRank/order``.
        var children: [(order: UInt64, node: Int)] = []
        /// The alternatives that end here, in the order in which they were added.
        var alternatives: [Int] = []
    }

    private var nodes = [Node()]

    /// Adds an alternative with its segments.
    mutating func add(_ alternative: Int, _ segments: ArraySlice<RouteTree.Segment>) {
        var node = 0
        for segment in segments { node = child(of: node, by: segment.rank.order) }
        nodes[node].alternatives.append(alternative)
    }

    /// Returns all alternatives in order.
    ///
    /// The leftmost difference decides, and a longer alternative precedes a shorter one. Equally specific alternatives
    /// stay in the order in which they were added.
    func sorted() -> [Int] {
        var alternatives: [Int] = []
        collect(from: 0, into: &alternatives)
        return alternatives
    }

    private func collect(from node: Int, into alternatives: inout [Int]) {
        for child in nodes[node].children { collect(from: child.node, into: &alternatives) }
        alternatives += nodes[node].alternatives
    }

    private mutating func child(of node: Int, by order: UInt64) -> Int {
        var (low, high) = (0, nodes[node].children.count)
        while low < high {
            let middle = (low + high) / 2
            if nodes[node].children[middle].order < order { low = middle + 1 } else { high = middle }
        }
        if low < nodes[node].children.count, nodes[node].children[low].order == order {
            return nodes[node].children[low].node
        }
        nodes[node].children.insert((order, nodes.count), at: low)
        nodes.append(Node())
        return nodes.count - 1
    }
}
