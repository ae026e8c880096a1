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
    /// Creates the shape of a segment; `types` has the declared type of each capture of the pattern, or nothing
    /// if none has one.
    ///
    /// Beside a second wildcard no capture has a type: what each of them takes depends on the other.
    init(_ segment: RoutePattern.Segment, types: [Int?]) {
        let isTyped = !types.isEmpty && segment.count(where: \.isWildcard) < 2
        var pieces: [Piece] = []
        var text: [UInt8] = []
        for part in segment {
            switch part {
            case .text(let bytes):
                text = bytes
            case .parameter(let capture), .wildcard(let capture):
                let isWildcard = part == .wildcard(capture)
                pieces.append(Piece(text: text, isWildcard: isWildcard, type: isTyped ? types[capture] : nil))
                text = []
            }
        }
        self.init(pieces: pieces, suffix: text)
    }

    /// How specific the segment is.
    var rank: SegmentRank {
        if isLiteral { return SegmentRank(kind: .literal, textCount: 0, hasWildcard: false, typeCount: 0) }
        let textCount = pieces.reduce(suffix.count) { $0 + $1.text.count }
        let kind: SegmentRank.Kind = textCount > 0 ? .partlyLiteral : hasWildcard ? .wildcard : .parameter
        let typeCount = pieces.count { $0.type != nil }
        return SegmentRank(kind: kind, textCount: textCount, hasWildcard: hasWildcard, typeCount: typeCount)
    }
}

/// How specific a segment of a pattern is; what orders before is tried before.
///
/// The kind decides, then more bytes of text, then whether there is no wildcard, then more typed captures.
struct SegmentRank: Hashable, Comparable, Sendable {
    /// The kinds of segments, the most specific first.
    enum Kind: Int, Sendable {
        case literal, partlyLiteral, parameter, wildcard
    }

    let kind: Kind
    let textCount: Int
    let hasWildcard: Bool
    let typeCount: Int

    /// A number that is in the same order; a segment of a pattern has less than a million captures.
    var order: UInt64 {
        let text = UInt64(UInt32.max - UInt32(clamping: textCount))
        let types = UInt64(0xF_FFFF - min(typeCount, 0xF_FFFF))
        return UInt64(kind.rawValue) << 60 | text << 24 | (hasWildcard ? 1 << 20 : 0) | types
    }

    static func < (left: Self, right: Self) -> Bool { left.order < right.order }
}
