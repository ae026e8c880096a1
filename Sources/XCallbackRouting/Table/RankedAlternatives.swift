/// The alternatives of all routes, in order of precedence.
///
/// Tables are built from it, and conflicts are searched in it; requests do not use it.
struct RankedAlternatives {
    /// One way to include and omit the optional groups of a route's pattern.
    struct Alternative {
        /// The index of the route.
        let route: Int
        let segments: [SegmentShape]
        /// The captures of the segments in order, as indices into the captures of the pattern.
        let captures: [Int]

        var ranks: [SegmentRank] { segments.map(\.rank) }

        fileprivate init(_ route: Int, _ pattern: [RoutePattern.Segment], _ types: [Int?]) {
            var captures: [Int] = []
            for segment in pattern {
                for part in segment { if let capture = part.capture { captures.append(capture) } }
            }
            self.route = route
            self.captures = captures
            segments = pattern.map { SegmentShape($0, types: types) }
        }
    }

    /// The types of all captures, without duplicate names.
    private(set) var types: [CaptureType] = []
    /// All alternatives; of two that match, the one with the lower index wins.
    private(set) var all: [Alternative] = []
    /// The alternatives with equal ranks, which are in the order of their routes.
    private(set) var equallySpecific: [Range<Int>] = []
    /// Keyed by the bytes of names: texts that only look alike are different.
    private var typesByName: [[UInt8]: Int] = [:]

    init(_ routes: [RoutingTable.Route]) {
        // Thousands of alternatives have only a few ranks.
        var members: [[SegmentRank]: [Alternative]] = [:]
        for (index, route) in routes.enumerated() {
            let types =
                route.types.isEmpty
                ? [] : route.pattern.captures.map { capture in route.types[capture.name].map { number(of: $0) } }
            for segments in route.pattern.alternatives {
                let alternative = Alternative(index, segments, types)
                members[alternative.ranks, default: []].append(alternative)
            }
        }
        for (_, alternatives) in members.sorted(by: { Self.precedes($0.key, $1.key) }) {
            equallySpecific.append(all.count..<all.count + alternatives.count)
            all += alternatives
        }
    }

    /// Whether ranks come first: the leftmost difference decides, and a longer alternative precedes a shorter one.
    private static func precedes(_ ranks: [SegmentRank], _ others: [SegmentRank]) -> Bool {
        for (rank, other) in zip(ranks, others) where rank != other { return rank < other }
        return ranks.count > others.count
    }

    private mutating func number(of type: CaptureType) -> Int {
        let name = Array(type.name.utf8)
        if let number = typesByName[name] { return number }
        typesByName[name] = types.count
        types.append(type)
        return types.count - 1
    }
}
