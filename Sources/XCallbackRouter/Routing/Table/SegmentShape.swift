/// The properties of a pattern's segment that affect a match: texts, kinds, and types of captures, but not their names.
struct SegmentShape: Hashable, Sendable {
    /// A capture and the text before it.
    struct Piece: Hashable, Sendable {
        /// The text before the capture; empty only before the first capture of a segment.
        let text: [UInt8]
        let isWildcard: Bool
        /// The declared type, as an index into the table's types.
        var type: Int?
    }

    /// The captures in order; empty if the segment is only text.
    let pieces: [Piece]
    /// The text after the last capture.
    let suffix: [UInt8]
    let rank: SegmentRank

    var isLiteral: Bool { pieces.isEmpty }

    var hasWildcard: Bool { pieces.contains(where: \.isWildcard) }

    /// Whether a single wildcard is the whole segment.
    var isWholeWildcard: Bool { hasWildcard && pieces.count == 1 && pieces[0].text.isEmpty && suffix.isEmpty }

    /// Creates the shape of a segment.
    ///
    /// With a second wildcard, no capture has a type: the division between them depends on each other.
    ///
    /// - Parameters:
    ///   - segment: The segment of a pattern.
    ///   - types: The declared type of each capture of the pattern.
    init(_ segment: RoutePattern.Segment, types: [Int?]) {
        var pieces: [Piece] = []
        var text: [UInt8] = []
        for part in segment {
            switch part {
            case .text(let bytes):
                text = bytes
            case .parameter(let capture), .wildcard(let capture):
                pieces.append(Piece(text: text, isWildcard: part.isWildcard, type: types[capture]))
                text = []
            }
        }
        if pieces.count > 1, pieces.count(where: \.isWildcard) > 1 {
            for index in pieces.indices { pieces[index].type = nil }
        }
        self.init(pieces: pieces, suffix: text)
    }

    init(pieces: [Piece], suffix: [UInt8]) {
        self.pieces = pieces
        self.suffix = suffix
        rank = SegmentRank(pieces, suffix: suffix)
    }

    /// The rank follows from the rest.
    func hash(into hasher: inout Hasher) {
        hasher.combine(suffix)
        if !pieces.isEmpty { hasher.combine(pieces) }
    }
}

/// The precedence of a pattern's segment; a lower rank is tried first.
///
/// The kind decides, then more bytes of text, then the absence of a wildcard, then more typed captures.
struct SegmentRank: Hashable, Comparable, Sendable {
    /// The kinds of segments, the most specific first.
    enum Kind: Int, Sendable {
        case literal, partlyLiteral, parameter, wildcard
    }

    let kind: Kind
    /// The number of bytes of text; 0 if the segment is only text.
    let textCount: Int
    let hasWildcard: Bool
    let typeCount: Int

    /// Creates the rank of a segment.
    init(_ pieces: [SegmentShape.Piece], suffix: [UInt8]) {
        let text = pieces.isEmpty ? 0 : pieces.reduce(suffix.count) { $0 + $1.text.count }
        hasWildcard = pieces.contains(where: \.isWildcard)
        kind = pieces.isEmpty ? .literal : text > 0 ? .partlyLiteral : hasWildcard ? .wildcard : .parameter
        textCount = text
        typeCount = pieces.count { $0.type != nil }
    }

    static func < (left: Self, right: Self) -> Bool {
        (left.kind.rawValue, right.textCount, left.hasWildcard ? 1 : 0, right.typeCount)
            < (right.kind.rawValue, left.textCount, right.hasWildcard ? 1 : 0, left.typeCount)
    }
}

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

    init(_ routes: [RoutingTable.Entry]) {
        // Thousands of alternatives have only a few ranks.
        var members: [[SegmentRank]: [Alternative]] = [:]
        for (index, route) in routes.enumerated() {
            let types = route.types.map { type in type.map { number(of: $0) } }
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
