extension RoutingTable {
    /// Stands where the rank of an alternative could: nothing matches.
    static let none = Int(Int32.max)

    /// A place in the tree: the end of what several alternatives have in common.
    struct Node: Sendable {
        /// The edges that leave it other than by literal text, most specific first.
        var firstEdge: Int32 = 0
        var edgeCount: Int32 = 0
        /// The rank of the alternative that ends here, or ``RoutingTable/none``.
        var end = Int32.max
        /// The lowest rank of all alternatives that pass or end here.
        var best = Int32.max
        /// How few and how many more segments the alternatives from here on can match.
        var leastRest = Int32.max
        var mostRest: Int32 = 0
        var hasLiterals = false
        var ways = Ways.literal
    }

    /// How segments lead on from a node.
    enum Ways: Sendable {
        /// By literal text, or not at all.
        case literal
        /// By one parameter that is a whole segment.
        case parameter
        /// In other ways, of which several may fit.
        case several
    }

    /// A way on from a node by a segment with captures.
    struct Edge: Sendable {
        /// The ways to match a segment with captures, the cheapest first.
        enum Kind: Sendable {
            /// One parameter is the whole segment.
            case parameter
            /// Several captures or text beside one, in one segment.
            case mixed
            /// At least one wildcard, perhaps among other captures and text.
            case wildcard
        }

        let kind: Kind
        /// Whether the next edge of the same node is less specific.
        let endsRank: Bool
        /// The group of ``EdgeIndex`` that begins with this edge, or -1.
        let group: Int32
        /// Whether there is another wildcard on the way from the root, so this edge may be tried from many segments.
        let isNested: Bool
        /// The type of a whole parameter, or -1.
        let type: Int32
        let target: Int32
        let firstPiece: Int32
        let pieceCount: Int32
        /// The last piece that is a wildcard, counted from the first piece, or -1.
        let lastWildcard: Int32
        /// The text after the last capture.
        let suffix: Text
    }

    /// A capture with the text before it.
    struct Piece: Sendable {
        let text: Text
        /// The type as an index into the table's types, or -1.
        let type: Int32
        let isWildcard: Bool
    }

    /// A place in the table's `texts`.
    struct Text: Sendable {
        let start: Int32
        let count: Int32
    }

    /// One way to include and leave out the groups of a route's pattern.
    struct Alternative: Sendable {
        let route: Int32
        let firstStep: Int32
        let stepCount: Int32
    }

    /// A segment with captures on the way to the end of an alternative.
    struct Step: Sendable {
        /// How many literal segments stand before it.
        let gap: Int32
        let edge: Int32
        let firstCapture: Int32
        /// How many segments follow it, or -1 if a wildcard among them leaves that open.
        let rest: Int32
    }
}
