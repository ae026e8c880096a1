/// The properties of a pattern's segment that affect a match: texts, kinds, and types of captures, but not their names.
struct SegmentShape: Hashable, Sendable {
    /// A capture and the text before it.
    struct Piece: Hashable, Sendable {
        /// The text before the capture; empty only before the first capture of a segment.
        let text: [UInt8]
        let isWildcard: Bool
        /// The declared type, as an index into the table's types.
        let type: Int?
    }

    /// The captures in order; empty if the segment is only text.
    let pieces: [Piece]
    /// The text after the last capture.
    let suffix: [UInt8]

    var isLiteral: Bool { pieces.isEmpty }

    var hasWildcard: Bool { pieces.contains(where: \.isWildcard) }
}

extension SegmentShape {
    /// Creates the shape of a segment.
    ///
    /// With a second wildcard, no capture has a type: the division between them depends on each other.
    ///
    /// - Parameters:
    ///   - pattern: The segments of the pattern.
    ///   - position: The start of the segment.
    ///   - types: The declared type of each capture of the pattern; empty if there are none.
    init(_ pattern: PatternSegments, from position: PatternSegments.Position, types: [Int?]) {
        var (position, wildcardCount) = (position, 0)
        var pieces: [Piece] = []
        var text: [UInt8] = []
        func add(_ capture: Int32, isWildcard: Bool) {
            let type = types.isEmpty ? nil : types[Int(capture)]
            pieces.append(Piece(text: text, isWildcard: isWildcard, type: type))
            text = []
        }
        reading: while true {
            switch pattern.elements[position.element] {
            case .text(let count):
                text = Array(pattern.texts[position.text..<position.text + Int(count)])
                position.text += Int(count)
            case .parameter(let capture):
                add(capture, isWildcard: false)
            case .wildcard(let capture):
                wildcardCount += 1
                add(capture, isWildcard: true)
            case .segmentEnd, .alternativeEnd:
                break reading
            }
            position.element += 1
        }
        if wildcardCount > 1 {
            pieces = pieces.map { Piece(text: $0.text, isWildcard: $0.isWildcard, type: nil) }
        }
        self.init(pieces: pieces, suffix: text)
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

    /// Creates the rank of a segment with captures, with less than 4 GiB of text and less than a million captures.
    private init(_ kind: Kind, textCount: Int, hasWildcard: Bool, typeCount: Int) {
        let text = UInt64(UInt32.max - UInt32(clamping: textCount))
        let types = UInt64(Self.typeMask) - UInt64(min(typeCount, Self.typeMask))
        order = kind.rawValue << 60 | text << 24 | (hasWildcard ? Self.wildcardBit : 0) | types
    }

    var kind: Kind { Kind(rawValue: order >> 60) ?? .literal }
    /// The number of bytes of text; 0 if the segment is only text.
    var textCount: Int { Int(UInt32.max - UInt32(truncatingIfNeeded: order >> 24)) }
    var hasWildcard: Bool { order & Self.wildcardBit != 0 }
    /// The number of captures with a type.
    var typeCount: Int { Self.typeMask - Int(order & UInt64(Self.typeMask)) }

    static func < (left: Self, right: Self) -> Bool { left.order < right.order }

    private static let typeMask = 0xF_FFFF
    private static let wildcardBit: UInt64 = 1 << 20
}

extension SegmentRank {
    /// Determines the rank of a segment, and moves the position after it.
    ///
    /// - Parameters:
    ///   - pattern: The segments of the pattern.
    ///   - position: The start of the segment.
    ///   - types: The declared type of each capture of the pattern; empty if there are none.
    ///   - noteCapture: Called with each capture, as an index into the captures of the pattern.
    init(
        _ pattern: PatternSegments, at position: inout PatternSegments.Position, types: [Int?],
        noteCapture: (Int) -> Void
    ) {
        var (textCount, captureCount, wildcardCount, typeCount) = (0, 0, 0, 0)
        var isAtEnd = false
        while !isAtEnd {
            switch pattern.elements[position.element] {
            case .text(let count):
                textCount += Int(count)
                position.text += Int(count)
            case .parameter(let capture), .wildcard(let capture):
                captureCount += 1
                if !types.isEmpty, types[Int(capture)] != nil { typeCount += 1 }
                if case .wildcard = pattern.elements[position.element] { wildcardCount += 1 }
                noteCapture(Int(capture))
            case .segmentEnd, .alternativeEnd:
                isAtEnd = true
            }
            position.element += 1
        }
        guard captureCount > 0 else {
            self.init(.literal, textCount: 0, hasWildcard: false, typeCount: 0)
            return
        }
        self.init(
            textCount > 0 ? .partlyLiteral : wildcardCount > 0 ? .wildcard : .parameter, textCount: textCount,
            hasWildcard: wildcardCount > 0, typeCount: wildcardCount > 1 ? 0 : typeCount)
    }
}
