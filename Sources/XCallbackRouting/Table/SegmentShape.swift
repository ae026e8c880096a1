/// The properties of a pattern's segment that affect a match: texts, kinds, and types of captures, but not their names.
struct SegmentShape: Sendable {
    /// A capture and the text before it.
    struct Piece: Sendable {
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
    ///   - types: The declared type of each capture of the pattern; empty if there are none.
    init(_ segment: RoutePattern.Segment, types: [Int?]) {
        var pieces: [Piece] = []
        var text: [UInt8] = []
        for part in segment {
            switch part {
            case .text(let bytes):
                text = bytes
            case .parameter(let capture), .wildcard(let capture):
                let type = types.isEmpty ? nil : types[capture]
                pieces.append(Piece(text: text, isWildcard: part.isWildcard, type: type))
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
        rank = pieces.isEmpty ? .literal : SegmentRank(pieces, suffix: suffix)
    }

    /// The number of bytes of text at each end by which edges of equal rank are sorted; the end of a wildcard is in
    /// another segment.
    var endCounts: (prefix: Int, suffix: Int) { (pieces.first?.text.count ?? 0, hasWildcard ? 0 : suffix.count) }

    /// A text that is equal for equal shapes, and sorts shapes by rank, then by ``endCounts``, then by the texts at the
    /// ends.
    var sortKey: [UInt8] {
        var key: [UInt8] = []
        key.reserveCapacity(suffix.count + (isLiteral ? 8 : 40))
        key.append(rank.order)
        guard !isLiteral else {
            key += suffix
            return key
        }
        let ends = endCounts
        key.append(UInt64(ends.prefix) << 32 | UInt64(ends.suffix))
        key += pieces[0].text
        if ends.suffix > 0 { key += suffix }
        key.append(UInt64(pieces.count))
        for piece in pieces {
            key.append(
                UInt64(piece.text.count) << 32 | UInt64((piece.type ?? -1) + 1) << 1 | (piece.isWildcard ? 1 : 0))
            key += piece.text
        }
        key += suffix
        return key
    }
}

/// The precedence of a pattern's segment; a lower rank is tried first.
///
/// The kind decides, then more bytes of text, then the absence of a wildcard, then more typed captures.
struct SegmentRank: Hashable, Comparable, Sendable {
    /// The kinds of segments, the most specific first.
    enum Kind: UInt64, Sendable {
        case literal, partlyLiteral, parameter, wildcard
    }

    /// A number in the same order: the kind in the highest bits, then less text, a wildcard, fewer types.
    let order: UInt64

    static let literal = Self(.literal, textCount: 0, hasWildcard: false, typeCount: 0)

    private init(_ kind: Kind, textCount: Int, hasWildcard: Bool, typeCount: Int) {
        let text = UInt64(UInt32.max - UInt32(clamping: textCount))
        let types = UInt64(Self.typeMask) - UInt64(min(typeCount, Self.typeMask))
        order = kind.rawValue << 60 | text << 24 | (hasWildcard ? Self.wildcardBit : 0) | types
    }

    /// Creates the rank of a segment with captures, with less than 4 GiB of text and less than a million captures.
    init(_ pieces: [SegmentShape.Piece], suffix: [UInt8]) {
        var (textCount, typeCount, hasWildcard) = (suffix.count, 0, false)
        for piece in pieces {
            textCount += piece.text.count
            if piece.type != nil { typeCount += 1 }
            if piece.isWildcard { hasWildcard = true }
        }
        let kind: Kind = textCount > 0 ? .partlyLiteral : hasWildcard ? .wildcard : .parameter
        self.init(kind, textCount: textCount, hasWildcard: hasWildcard, typeCount: typeCount)
    }

    var kind: Kind { Kind(rawValue: order >> 60) ?? .literal }
    /// The number of bytes of text; 0 if the segment is only text.
    var textCount: Int { Int(UInt32.max - UInt32(truncatingIfNeeded: order >> 24)) }
    var hasWildcard: Bool { order & Self.wildcardBit != 0 }

    static func < (left: Self, right: Self) -> Bool { left.order < right.order }

    private static let typeMask = 0xF_FFFF
    private static let wildcardBit: UInt64 = 1 << 20
}

extension [UInt8] {
    /// Appends a number so that texts sort like numbers.
    fileprivate mutating func append(_ number: UInt64) {
        Swift.withUnsafeBytes(of: number.bigEndian) { append(contentsOf: $0) }
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
