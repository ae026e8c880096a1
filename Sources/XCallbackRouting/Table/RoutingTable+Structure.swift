extension RoutingTable {
    /// The rank if nothing matches.
    static let none = Int(Int32.max)

    /// A node in the tree: the end of a common beginning of alternatives.
    struct Node: Sendable {
        /// The edges from the node, except literal ones, the most specific first.
        var firstEdge: Int32 = 0
        var edgeCount: Int32 = 0
        /// The rank of the alternative that ends here, or ``RoutingTable/none``.
        var end = Int32.max
        /// The lowest rank of all alternatives that pass through or end at the node.
        var best = Int32.max
        /// The minimum and maximum numbers of further segments that alternatives from the node can match.
        var leastRest = Int32.max
        var mostRest: Int32 = 0
        var hasLiterals = false
        var ways = Ways.literal
    }

    /// The kinds of edges from a node.
    enum Ways: Sendable {
        /// Literal edges only, or none.
        case literal
        /// A single edge for a parameter that is a whole segment.
        case parameter
        /// Other edges, several of which can match.
        case several
    }

    /// An edge for a segment with captures.
    struct Edge: Sendable {
        /// The kinds of segments with captures, the cheapest to match first.
        enum Kind: Sendable {
            /// One parameter is the whole segment.
            case parameter
            /// Several captures, or a capture with text, within one segment.
            case mixed
            /// At least one wildcard, possibly with other captures and text.
            case wildcard
        }

        let kind: Kind
        /// Whether the next edge of the same node is less specific.
        let endsRank: Bool
        /// The group of ``EdgeIndex`` that begins with this edge, or -1.
        let group: Int32
        /// Whether the path from the root has another wildcard, so that this edge may be tried from many segments.
        let isNested: Bool
        /// The type of a parameter that is a whole segment, or -1.
        let type: Int32
        let target: Int32
        let firstPiece: Int32
        let pieceCount: Int32
        /// The index of the last wildcard piece from the first piece on, or -1.
        let lastWildcard: Int32
        /// The text after the last capture.
        let suffix: Text
    }

    /// A capture and the text before it.
    struct Piece: Sendable {
        let text: Text
        /// The type as an index into the table's types, or -1.
        let type: Int32
        let isWildcard: Bool
    }

    /// A range of the table's `texts`.
    struct Text: Sendable {
        let start: Int32
        let count: Int32
    }

    /// One way to include and omit the groups of a route's pattern.
    struct Alternative: Sendable {
        let route: Int32
        let firstStep: Int32
        let stepCount: Int32
    }

    /// A segment with captures on the path of an alternative.
    struct Step: Sendable {
        /// The number of literal segments before it.
        let gap: Int32
        let edge: Int32
        let firstCapture: Int32
        /// The number of segments after it, or -1 if a wildcard among them makes it variable.
        let rest: Int32
    }
}
