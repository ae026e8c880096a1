/// Finds pairs of routes that answer the same action with equal precedence.
///
/// Alternatives can conflict only if their segments are pairwise equally specific, and if they have the same text
/// wherever both have a segment of only text. Such alternatives are grouped by their other segments, from left to
/// right, and stay together if a segment can match both, which automata determine. Segments are aligned except for
/// those from one wildcard to another; alternatives with such segments are finally compared as a whole. Two
/// alternatives conflict if both match an action that no better alternative of either route matches.
struct ConflictSearch {
    private struct Pair: Hashable {
        let first: Int
        let second: Int
    }

    /// The common properties of alternatives that can conflict.
    private struct Key: Hashable {
        let ranks: [SegmentRank]
        /// The segments of only text, except those between two wildcards.
        let texts: [[UInt8]]
    }

    /// Alternatives that may conflict with others, or with each other if there are no others, by their aligned segments
    /// from a position on.
    private struct Comparison {
        let members: [Int]
        let others: [Int]?
        /// The number of compared aligned segments.
        let position: Int
    }

    private let tree: RouteTree
    private var meetings: SegmentMeetings
    /// The alternatives by route, the best first; empty until they are needed.
    private var alternatives: [Int: [Int]] = [:]
    /// The segments of alternatives, created when they are needed.
    private var shapes: [Int: [SegmentShape]] = [:]
    private var found: [Pair: RoutingConflict] = [:]

    init(_ tree: RouteTree) {
        self.tree = tree
        meetings = SegmentMeetings(tree.types)
    }

    /// Returns the conflicts in the order of routes, at most ``RoutingConflicts/limit``.
    mutating func conflicts() -> [RoutingConflict] {
        let candidates = tree.alternatives.indices.filter { mayConflict(tree.alternatives[$0]) }
        // This is almost always the case.
        if candidates.isEmpty { return [] }
        var groups: [Key: [Int]] = [:]
        for index in candidates { groups[key(of: index), default: []].append(index) }
        for (index, alternative) in tree.alternatives.enumerated() {
            alternatives[alternative.route, default: []].append(index)
        }
        var comparisons = groups.values.filter { $0.count > 1 }.map {
            Comparison(members: $0, others: nil, position: 0)
        }
        // The last one is compared first.
        comparisons.sort { $0.members[0] > $1.members[0] }
        while let comparison = comparisons.popLast(), !isFull {
            if comparison.position == alignedShapes(of: comparison.members[0]).count {
                compare(comparison)
            } else {
                comparisons += parts(of: comparison)
            }
        }
        return found.values.sorted { ($0.first, $0.second) < ($1.first, $1.second) }
    }

    private var isFull: Bool { found.count >= RoutingConflicts.limit }

    /// Whether an alternative can conflict with any other.
    ///
    /// If an alternative has only texts, parameters, and at most one wildcard, each a whole segment without a type, it
    /// leads to the same node as every other one with its ranks and texts.
    private func mayConflict(_ alternative: RouteTree.Alternative) -> Bool {
        if tree.end(of: alternative).isShared { return true }
        var wildcardCount = 0
        for rank in tree.segments[alternative.segments].lazy.map(\.rank) where rank.kind != .literal {
            if rank.kind == .partlyLiteral || rank.typeCount > 0 { return true }
            if rank.hasWildcard { wildcardCount += 1 }
        }
        return wildcardCount > 1
    }

    /// Returns the segments of an alternative.
    private mutating func shapes(of alternative: Int) -> [SegmentShape] {
        if let known = shapes[alternative] { return known }
        let new = tree.shapes(of: tree.alternatives[alternative])
        shapes[alternative] = new
        return new
    }

    private mutating func key(of alternative: Int) -> Key {
        let shapes = shapes(of: alternative)
        let first = shapes.firstIndex(where: \.hasWildcard) ?? shapes.count
        let last = shapes.lastIndex(where: \.hasWildcard) ?? shapes.count
        let texts = shapes.indices.filter { shapes[$0].isLiteral && !(first...last).contains($0) }
        return Key(ranks: tree.ranks(of: tree.alternatives[alternative]), texts: texts.map { shapes[$0].suffix })
    }

    /// Returns the segments of an alternative that are aligned with those of another one with the same ranks.
    ///
    /// The segments from one wildcard to another are represented by the first and the last segment.
    private mutating func alignedShapes(of alternative: Int) -> [SegmentShape] {
        let shapes = shapes(of: alternative)
        guard let first = shapes.firstIndex(where: \.hasWildcard),
            let last = shapes.lastIndex(where: \.hasWildcard), first < last
        else { return shapes }
        return shapes[..<first] + [shapes[first].oneSegment, shapes[last].oneSegment] + shapes[(last + 1)...]
    }

    /// Returns the comparisons that follow from the next segment.
    private mutating func parts(of comparison: Comparison) -> [Comparison] {
        let (position, next) = (comparison.position, comparison.position + 1)
        guard !alignedShapes(of: comparison.members[0])[position].isLiteral else {
            return [Comparison(members: comparison.members, others: comparison.others, position: next)]
        }
        let parts = divided(comparison.members, at: position)
        let index = ShapeIndex(parts.map(\.shape), meetings.types.types)
        guard let others = comparison.others.map({ divided($0, at: position) }) else {
            let same = parts.filter { $0.members.count > 1 }.map {
                Comparison(members: $0.members, others: nil, position: next)
            }
            let met = index.pairs().filter { meet(parts[$0.0].shape, parts[$0.1].shape) }.map {
                Comparison(members: parts[$0.0].members, others: parts[$0.1].members, position: next)
            }
            return same + met
        }
        let pairs = index.pairs(with: ShapeIndex(others.map(\.shape), meetings.types.types))
        return pairs.filter { meet(parts[$0.0].shape, others[$0.1].shape) }.map {
            Comparison(members: parts[$0.0].members, others: others[$0.1].members, position: next)
        }
    }

    private mutating func meet(_ one: SegmentShape, _ other: SegmentShape) -> Bool {
        one == other || meetings.segments(of: one, other) != nil
    }

    /// Groups alternatives by the shape of a segment, in order of first occurrence.
    private mutating func divided(_ members: [Int], at position: Int) -> [(shape: SegmentShape, members: [Int])] {
        var numbers: [SegmentShape: Int] = [:]
        var parts: [(shape: SegmentShape, members: [Int])] = []
        for member in members {
            let shape = alignedShapes(of: member)[position]
            if let number = numbers[shape] {
                parts[number].members.append(member)
            } else {
                numbers[shape] = parts.count
                parts.append((shape, [member]))
            }
        }
        return parts
    }

    // MARK: - Comparisons

    private mutating func compare(_ comparison: Comparison) {
        guard let others = comparison.others else { return compareEach(of: comparison.members) }
        for one in comparison.members { for other in others { compare(one, other) } }
    }

    /// Compares alternatives with each other; stops if one of them conflicts with all later ones.
    private mutating func compareEach(of members: [Int]) {
        for (position, one) in members.enumerated() {
            let others = members[(position + 1)...]
            for other in others { compare(one, other) }
            if isFull || others.allSatisfy({ isFound(one, $0) }) { return }
        }
    }

    private func pair(_ one: Int, _ other: Int) -> Pair {
        let (first, second) = (tree.alternatives[one].route, tree.alternatives[other].route)
        return Pair(first: min(first, second), second: max(first, second))
    }

    private func isFound(_ one: Int, _ other: Int) -> Bool {
        let pair = pair(one, other)
        return pair.first == pair.second || found[pair] != nil
    }

    /// Adds the conflict of two equally specific alternatives, if they conflict and have different routes.
    private mutating func compare(_ one: Int, _ other: Int) {
        guard !isFull, !isFound(one, other), let segments = segments(of: one, other) else { return }
        let pair = pair(one, other)
        found[pair] = RoutingConflict(first: pair.first, second: pair.second, witness: ActionText.text(of: segments))
    }

    /// Returns the shortest action of two alternatives that no better alternative of their routes matches.
    private mutating func segments(of one: Int, _ other: Int) -> [[UInt8]]? {
        let better = betterOnes(than: one) + betterOnes(than: other)
        if better.isEmpty, let segments = alignedSegments(of: one, other) { return segments }
        let types = meetings.types
        let first = ActionAutomaton(shapes(of: one), types)
        let second = ActionAutomaton(shapes(of: other), types)
        // This usually decides, and exclusion is more expensive.
        var search = CommonActionSearch(first, second)
        guard let segments = search.segments() else { return nil }
        let excluded = better.map { ActionAutomaton(shapes(of: $0), types) }
        if !excluded.contains(where: { $0.accepts(segments) }) { return segments }
        search = CommonActionSearch(first, second, excluding: excluded)
        return search.segments()
    }

    /// Returns segments that both match pairwise; nil if unknown.
    private mutating func alignedSegments(of one: Int, _ other: Int) -> [[UInt8]]? {
        let (first, second) = (shapes(of: one), shapes(of: other))
        var segments: [[UInt8]] = []
        for (shape, otherShape) in zip(first, second) {
            guard let common = meetings.segments(of: shape, otherShape) else { return nil }
            segments += common
        }
        return segments
    }

    private func betterOnes(than alternative: Int) -> [Int] {
        let ranks = tree.ranks(of: tree.alternatives[alternative])
        return (alternatives[tree.alternatives[alternative].route] ?? []).prefix { $0 < alternative }
            .filter { tree.ranks(of: tree.alternatives[$0]) != ranks }
    }
}

extension SegmentShape {
    /// A single segment of the wildcard's match; any segment if there is more than the wildcard.
    fileprivate var oneSegment: SegmentShape {
        SegmentShape(
            pieces: [Piece(text: [], isWildcard: false, type: pieces.count == 1 && hasNoText ? pieces[0].type : nil)],
            suffix: [])
    }

    private var hasNoText: Bool { suffix.isEmpty && pieces.allSatisfy(\.text.isEmpty) }
}
