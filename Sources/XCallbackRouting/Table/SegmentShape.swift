/// A segment of a pattern as far as it decides a match: texts, kinds and types of captures, but not their names.
struct SegmentShape: Hashable, Sendable {
    /// A capture with the text before it.
    struct Piece: Hashable, Sendable {
        /// The text before the capture; empty only before the first capture of a segment.
        let text: [UInt8]
        let isWildcard: Bool
        /// The declared type, as an index into the table's types.
        let type: Int?
    }

    /// The captures in order; none if the segment is only text.
    let pieces: [Piece]
    /// The text after the last capture.
    let suffix: [UInt8]

    var isLiteral: Bool { pieces.isEmpty }

    var hasWildcard: Bool { pieces.contains(where: \.isWildcard) }
}

extension SegmentShape {
    /// Creates the shape of a segment; `types` has the declared type of each capture of the pattern.
    init(_ segment: RoutePattern.Segment, types: [Int?]) {
        var pieces: [Piece] = []
        var text: [UInt8] = []
        for part in segment {
            switch part {
            case .text(let bytes):
                text = bytes
            case .parameter(let capture), .wildcard(let capture):
                let isWildcard = part == .wildcard(capture)
                pieces.append(Piece(text: text, isWildcard: isWildcard, type: types[capture]))
                text = []
            }
        }
        self.init(pieces: pieces, suffix: text)
    }

    /// How specific the segment is.
    var rank: SegmentRank {
        if isLiteral { return SegmentRank(kind: .literal, textCount: 0, typeCount: 0) }
        let textCount = pieces.reduce(suffix.count) { $0 + $1.text.count }
        let kind: SegmentRank.Kind =
            switch (hasWildcard, textCount > 0) {
            case (false, true): .partlyLiteral
            case (false, false): .parameter
            case (true, true): .partlyLiteralWildcard
            case (true, false): .wildcard
            }
        return SegmentRank(kind: kind, textCount: textCount, typeCount: pieces.count { $0.type != nil })
    }
}

/// How specific a segment of a pattern is; what orders before is tried before.
///
/// The kind decides, then more bytes of text, then more typed captures.
struct SegmentRank: Hashable, Comparable, Sendable {
    /// The kinds of segments, the most specific first.
    enum Kind: Int, Sendable {
        case literal, partlyLiteral, parameter, partlyLiteralWildcard, wildcard
    }

    let kind: Kind
    let textCount: Int
    let typeCount: Int

    static func < (left: Self, right: Self) -> Bool {
        (left.kind.rawValue, right.textCount, right.typeCount) < (right.kind.rawValue, left.textCount, left.typeCount)
    }
}
