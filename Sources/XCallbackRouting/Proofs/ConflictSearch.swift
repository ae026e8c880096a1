/// Finds pairs of routes that answer the same action with equal precedence.
///
/// Only alternatives whose segments are equally specific one by one can conflict. The search walks two branches of
/// the tree at a time, from the root on, and goes on where a segment can fit both; branches that differ in a literal
/// are never compared. Alternatives with two wildcards can also meet with their segments not aligned. These are
/// compared pair by pair if the segments before the first wildcard and after the last have the same text.
struct ConflictSearch {
    private struct Pair: Hashable {
        let first: Int
        let second: Int
    }

    /// What alternatives share that may conflict without being aligned.
    private struct UnalignedKey: Hashable {
        let ranks: [SegmentRank]
        let texts: [[UInt8]]
    }

    private let tree: RouteTree
    private let routes: [RoutingTable.Route]
    private let witness: WitnessSearch
    private var found: [Pair: RoutingConflict] = [:]

    init(_ tree: RouteTree, routes: [RoutingTable.Route]) {
        self.tree = tree
        self.routes = routes
        witness = WitnessSearch(tree.types)
    }

    /// The conflicts in the order of routes, at most ``RoutingConflicts/limit``.
    mutating func conflicts() -> [RoutingConflict] {
        compareAligned()
        compareUnaligned()
        return found.values.sorted { ($0.first, $0.second) < ($1.first, $1.second) }
    }

    private var isFull: Bool { found.count >= RoutingConflicts.limit }

    private mutating func compareAligned() {
        var pairs = [Pair(first: 0, second: 0)]
        while let pair = pairs.popLast(), !isFull {
            compareEnds(pair)
            let first = tree.nodes[pair.first].children
            let second = tree.nodes[pair.second].children
            for (position, child) in first.enumerated() {
                if pair.first == pair.second { pairs.append(Pair(first: child.node, second: child.node)) }
                if child.shape.isLiteral {
                    guard pair.first != pair.second else { continue }
                    if let other = tree.child(of: pair.second, byLiteral: child.shape) {
                        pairs.append(Pair(first: child.node, second: other))
                    }
                    continue
                }
                let others = pair.first == pair.second ? second[(position + 1)...] : second[...]
                for other in others.drop(while: { $0.rank < child.rank }).prefix(while: { $0.rank == child.rank })
                where witness.canMeet(child.shape, other.shape) {
                    pairs.append(Pair(first: child.node, second: other.node))
                }
            }
        }
    }

    private mutating func compareEnds(_ pair: Pair) {
        let first = tree.nodes[pair.first].alternatives
        let second = tree.nodes[pair.second].alternatives
        if pair.first == pair.second {
            // The same shape many times over: each with the first says all.
            for other in first.dropFirst() { compare(first[0], other) }
        } else {
            for one in first { for other in second { compare(one, other) } }
        }
    }

    private mutating func compareUnaligned() {
        var groups: [UnalignedKey: [Int]] = [:]
        for (index, alternative) in tree.alternatives.enumerated() {
            let shapes = alternative.shapes
            guard let first = shapes.firstIndex(where: \.hasWildcard),
                let last = shapes.lastIndex(where: \.hasWildcard),
                first < last
            else { continue }
            let texts = (shapes[..<first] + shapes[(last + 1)...]).filter(\.isLiteral).map(\.suffix)
            groups[UnalignedKey(ranks: alternative.ranks, texts: texts), default: []].append(index)
        }
        for group in groups.values.sorted(by: { $0[0] < $1[0] }) {
            for (position, one) in group.enumerated() {
                guard !isFull else { return }
                for other in group[(position + 1)...] { compare(one, other) }
            }
        }
    }

    /// Adds the conflict of two alternatives, if there is one of different routes and a witness for it.
    private mutating func compare(_ one: Int, _ other: Int) {
        let (first, second) = (tree.alternatives[one], tree.alternatives[other])
        guard first.route != second.route, !isFull else { return }
        let pair = Pair(first: min(first.route, second.route), second: max(first.route, second.route))
        guard found[pair] == nil else { return }
        for filler in WitnessSearch.fillers {
            guard let segments = witness.segments(matching: first.shapes, second.shapes, filler: filler) else { return }
            guard let ranks = ranks(of: segments, by: pair.first), ranks == self.ranks(of: segments, by: pair.second)
            else { continue }
            found[pair] = RoutingConflict(
                first: pair.first, second: pair.second, witness: WitnessSearch.action(of: segments)
            )
            return
        }
    }

    /// How specifically a route by itself answers an action, or nil if it does not.
    private func ranks(of segments: [[UInt8]], by route: Int) -> [SegmentRank]? {
        let tree = RouteTree([routes[route]])
        let table = RoutingTable(tree)
        var bytes: [UInt8] = []
        var ranges: [Range<Int>] = []
        for segment in segments {
            ranges.append(bytes.count..<(bytes.count + segment.count))
            bytes += segment
        }
        var scratch: [Capture] = []
        let rank = table.rank(from: 0, at: 0, bytes.span, ranges.span, scratch: &scratch)
        return rank == RoutingTable.none ? nil : tree.alternatives[rank].ranks
    }
}
