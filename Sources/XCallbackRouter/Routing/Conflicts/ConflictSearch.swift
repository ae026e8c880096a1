/// Finds pairs of routes that can answer the same action, neither of which is more specific.
///
/// The rule: two alternatives of different routes conflict if their segments have equal ranks and can all match the same
/// segments, one after the other. Segments are compared in pairs: texts byte by byte, parameters by their types, and
/// segments with text and captures by the bytes that each of their parts can contain (``SegmentComparison``). A wildcard
/// repeats its segment. Everything else is ignored: whether the text of a capture could be divided otherwise, or whether
/// another alternative of the same route would be better. So no conflict is missed, but a pair with text and captures
/// in one segment can be reported without a common action. More text or a type helps.
struct ConflictSearch {
    private let routes: [RoutingTable.Entry]
    private let alternatives: RankedAlternatives
    private let comparison: SegmentComparison
    private var found: [RoutingConflict] = []
    /// The routes that conflict with an earlier one; they are not compared again.
    private var losers: Set<Int> = []

    init(_ routes: [RoutingTable.Entry], _ alternatives: RankedAlternatives) {
        self.routes = routes
        self.alternatives = alternatives
        comparison = SegmentComparison(types: alternatives.types)
    }

    /// Returns the conflicts in the order of routes, at most ``RoutingConflicts/limit``.
    mutating func conflicts() -> [RoutingConflict] {
        for equals in alternatives.equallySpecific where equals.count > 1 {
            let groups = Dictionary(grouping: equals) { alternatives.all[$0].literals }.values.filter { $0.count > 1 }
            for members in groups.sorted(by: { $0[0] < $1[0] }) { compare(members) }
        }
        return found.sorted { ($0.first, $0.second) < ($1.first, $1.second) }
    }

    /// Compares alternatives that differ only in segments with captures, sorted by the texts at one end of a segment: the
    /// end at which more texts differ.
    ///
    /// Two of them can match the same action only if one of the texts begins with the other one.
    private mutating func compare(_ members: [Int]) {
        let ends = members.map { alternatives.all[$0].ends }
        let usesSuffixes = Set(ends.map(\.suffix)).count > Set(ends.map(\.prefix)).count
        let sorted = zip(members, ends).map { (text: usesSuffixes ? $1.suffix : $1.prefix, member: $0) }.sorted {
            $0.text.lexicographicallyPrecedes($1.text) || $0.text == $1.text && $0.member < $1.member
        }
        for (position, (text, one)) in sorted.enumerated() {
            for (otherText, other) in sorted[(position + 1)...] {
                guard !losers.contains(alternatives.all[one].route), otherText.starts(with: text) else { break }
                guard found.count < RoutingConflicts.limit else { return }
                compare(alternatives.all[one], alternatives.all[other])
            }
        }
    }

    private mutating func compare(_ one: RankedAlternatives.Alternative, _ other: RankedAlternatives.Alternative) {
        guard one.route != other.route, !losers.contains(other.route), comparison.meet(one.segments, other.segments)
        else { return }
        let (first, second) = (min(one.route, other.route), max(one.route, other.route))
        let example = comparison.example(one.segments, other.segments)
        let text = isCommon(example, first, second) ? actionText(of: example) : nil
        found.append(RoutingConflict(first: first, second: second, example: text))
        losers.insert(second)
    }

    /// Whether both routes answer an action, with equal ranks.
    private func isCommon(_ segments: [[UInt8]], _ first: Int, _ second: Int) -> Bool {
        let (bytes, ranges) = joined(segments)
        let one = ranks(of: routes[first], bytes.span, ranges.span)
        return one != nil && one == ranks(of: routes[second], bytes.span, ranges.span)
    }

    /// Returns the ranks of the alternative of a route that answers an action; nil if none does.
    private func ranks(
        of route: RoutingTable.Entry, _ bytes: Span<UInt8>, _ segments: Span<Range<Int>>
    ) -> [SegmentRank]? {
        let alternatives = RankedAlternatives([route])
        var scratch: [Capture] = []
        return RoutingTable(alternatives).match(bytes, segments: segments, scratch: &scratch).map {
            alternatives.all[$0.rank].ranks
        }
    }
}

extension RankedAlternatives.Alternative {
    /// The texts of segments without captures, except between wildcards: those before the first wildcard and after the last
    /// one are in the same places of an action for all alternatives with equal ranks.
    fileprivate var literals: [UInt8] {
        let first = segments.firstIndex(where: \.hasWildcard) ?? segments.count
        let last = segments.lastIndex(where: \.hasWildcard) ?? -1
        var text: [UInt8] = []
        for (index, segment) in segments.enumerated() where segment.isLiteral && (index < first || index > last) {
            text += segment.suffix
            text.append(0)
        }
        return text
    }

    /// The texts at both ends of the first segment with text and captures, the last one reversed; empty after a wildcard.
    fileprivate var ends: (prefix: [UInt8], suffix: [UInt8]) {
        let first = segments.first { $0.rank.kind == .partlyLiteral || $0.hasWildcard }
        guard let segment = first, let piece = segment.pieces.first else { return ([], []) }
        return (piece.text, segment.hasWildcard ? [] : segment.suffix.reversed())
    }
}

/// Returns the text of an action; nil if some of its bytes must be encoded.
private func actionText(of segments: [[UInt8]]) -> String? {
    let marks = Array("-._~!$'()*+,;=:@".utf8)
    let isPlain = segments.joined().allSatisfy { byte in
        Character(Unicode.Scalar(byte)).isLetter && byte < 0x80 || (0x30...0x39).contains(byte) || marks.contains(byte)
    }
    return isPlain ? "/" + segments.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "/") : nil
}

/// The conflicts between routes, which cannot be in one table, because some actions would have no unique answer.
package struct RoutingConflicts: Error, Hashable, Sendable {
    /// The maximum number of reported conflicts.
    package static let limit = 100

    /// The conflicts, by route indices; at least one, with each route at most once as the second one.
    package let conflicts: [RoutingConflict]
}

/// Two routes that can answer the same action, neither more specific than the other.
package struct RoutingConflict: Hashable, Sendable {
    /// The index of the route that comes first.
    package let first: Int
    /// The index of the other route.
    package let second: Int
    /// An action that both routes answer, for example `/notes/1/a`, if one is at hand.
    package let example: String?
}
