import XCallbackWire

/// Finds the route that answers an action; built once and immutable.
///
/// The routes are a tree of segments in flat arrays. Of all matching routes, the most specific one answers, regardless
/// of their order: per segment, text comes first, then text with captures (more bytes of text first, then without a
/// wildcard), parameters, and wildcards; among equals, more typed captures come first. The leftmost difference decides,
/// and a longer pattern precedes a shorter one.
///
/// The cost of a match does not grow with the number of routes. It visits no node twice for the same segment, so its
/// cost is bounded by the number of reachable nodes times the length of the action. It allocates nothing, unless a
/// pattern with two wildcards is a candidate or `captures` must grow.
package final class RoutingTable: Sendable {
    /// A pattern and the types of its captures.
    package struct Entry: Sendable {
        /// The pattern of the route's actions.
        package let pattern: RoutePattern
        /// The declared type of each capture of the pattern; a capture without a type accepts any text.
        package let types: [CaptureType?]

        package init(pattern: RoutePattern, types: [CaptureType?]? = nil) {
            self.pattern = pattern
            self.types = types ?? Array(repeating: nil, count: pattern.captures.count)
        }
    }

    /// The match of an action.
    package struct Match: Sendable {
        /// The index of the route.
        package let route: Int
        let rank: Int
    }

    let nodes: [Node]
    let edges: [Edge]
    let literals: LiteralEdges
    let pieces: [Piece]
    let texts: [UInt8]
    let types: [CaptureType]
    /// The alternatives of all routes in order of precedence; an index into it is also called the rank of the
    /// alternative.
    let alternatives: [Alternative]
    let steps: [Step]
    /// The captures of all steps, as indices into the captures of their patterns.
    let stepCaptures: [Int]

    /// Creates a table.
    ///
    /// - Parameter routes: The routes; results refer to their indices.
    /// - Throws: ``RoutingConflicts`` if routes can answer the same action and neither is more specific.
    package convenience init(_ routes: [Entry]) throws(RoutingConflicts) {
        let alternatives = RankedAlternatives(routes)
        var search = ConflictSearch(routes, alternatives)
        let conflicts = search.conflicts()
        guard conflicts.isEmpty else { throw RoutingConflicts(conflicts: conflicts) }
        self.init(alternatives)
    }

    /// Creates a table, regardless of conflicts.
    init(_ alternatives: RankedAlternatives) {
        var builder = TableBuilder(alternatives)
        builder.addNodes()
        builder.addBounds()
        builder.addSteps()
        nodes = builder.nodes
        edges = builder.edges
        literals = LiteralEdges(builder.literals, texts: builder.texts)
        pieces = builder.pieces
        texts = builder.texts
        types = alternatives.types
        self.alternatives = builder.alternatives
        steps = builder.steps
        stepCaptures = builder.stepCaptures
    }

    /// Finds the route that answers an action.
    ///
    /// - Parameters:
    ///   - bytes: A buffer that holds the decoded segments.
    ///   - segments: The range of each segment in `bytes`; only wildcards match an empty one.
    ///   - captures: Cleared first; after a match, it contains the captured pieces in the order of the pattern. If
    ///     reused, it stops growing.
    /// - Returns: The index of the route; nil if none answers.
    package func match(
        _ bytes: Span<UInt8>, segments: Span<Range<Int>>, into captures: inout [Capture]
    ) -> Int? {
        guard let match = match(bytes, segments: segments, scratch: &captures) else { return nil }
        capture(match, bytes, segments, into: &captures)
        return match.route
    }

    /// Finds the route that answers an action, without its captures.
    ///
    /// - Parameters:
    ///   - bytes: A buffer that holds the decoded segments.
    ///   - segments: The range of each segment in `bytes`; only wildcards match an empty one.
    ///   - scratch: Memory for tentative captures; empty afterward.
    /// - Returns: The match; nil if no route answers.
    package func match(
        _ bytes: Span<UInt8>, segments: Span<Range<Int>>, scratch: inout [Capture]
    ) -> Match? {
        if !scratch.isEmpty { scratch.clear() }
        let rank = rank(from: 0, at: 0, bytes, segments, scratch: &scratch)
        return rank == Self.none ? nil : Match(route: Int(alternatives[rank].route), rank: rank)
    }
}

// MARK: - Structure

extension RoutingTable {
    /// The rank if nothing matches.
    static let none = Int(Int32.max)

    /// A node in the tree: the end of a common beginning of alternatives.
    struct Node: Sendable {
        /// The edges, except for segments of only text, the most specific first.
        var firstEdge: Int32 = 0
        var edgeCount: Int32 = 0
        /// The rank of the alternative that ends here, or ``RoutingTable/none``.
        var end = Int32.max
        /// The lowest rank of all alternatives that pass through or end at the node.
        var best = Int32.max
        /// The minimum and maximum numbers of further segments that alternatives from the node can match.
        var leastRest = Int32.max
        var mostRest: Int32 = 0
        /// Whether there are edges for segments of only text.
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

    /// The edges for segments of only text: one open-addressing hash table for all nodes.
    struct LiteralEdges: Sendable {
        /// An edge, or a free slot.
        struct Slot: Sendable {
            /// The node that the edge leaves, or -1.
            var node: Int32 = -1
            var target: Int32 = 0
            var text = Text(start: 0, count: 0)
            /// Compared first; covers the whole of a short text.
            var firstWord: UInt64 = 0
        }

        let slots: [Slot]

        init(_ edges: [Slot], texts: [UInt8]) {
            var count = 8
            while count < edges.count * 2 { count *= 2 }
            var slots = Array(repeating: Slot(), count: count)
            for edge in edges {
                let text = texts.span.extracting(Int(edge.text.start)..<Int(edge.text.start + edge.text.count))
                var index = Self.hash(text, edge.firstWord, node: Int(edge.node)) & (count - 1)
                while slots[index].node >= 0 { index = (index + 1) & (count - 1) }
                slots[index] = edge
            }
            self.slots = slots
        }
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
        /// The end of the edges of the same node that are equally specific.
        var rankEnd: Int32 = 0
        /// Whether the path from the root has another wildcard, so that this edge may be tried from many segments.
        let isNested: Bool
        /// The type of a parameter that is a whole segment, or -1.
        let type: Int32
        let target: Int32
        let firstPiece: Int32
        let pieceCount: Int32
        /// The index of the last wildcard piece from the first piece on, or -1.
        let lastWildcard: Int32
        /// Whether a single wildcard is the whole segment; only then it matches empty segments, too.
        let isWholeWildcard: Bool
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

/// A captured piece: the index of its capture in the pattern, and the range of its bytes.
///
/// A parameter has one piece, and a wildcard has one for each segment, all with the same index and in order.
package struct Capture: Hashable, Sendable {
    /// The index into the pattern's ``RoutePattern/captures``.
    package let index: Int
    /// The range of the decoded bytes in the matched buffer.
    package let range: Range<Int>

    package init(index: Int, range: Range<Int>) {
        self.index = index
        self.range = range
    }
}

extension [Capture] {
    /// Reverses the captures from an index on, in place: a reversed slice would be a copy.
    mutating func reverse(from start: Int) {
        var (low, high) = (start, count - 1)
        while low < high {
            swapAt(low, high)
            low += 1
            high -= 1
        }
    }
}

/// A rule for the text of a capture: the declared type of a path parameter.
package struct CaptureType: Sendable {
    /// The name of the type; types with equal bytes in their names are the same.
    package let name: String
    /// The ASCII bytes of which all texts of the type consist; nil if a text can have any byte.
    package let alphabet: String?
    /// Texts of the type, the first of which are used in examples of actions.
    ///
    /// Two types overlap if one of them accepts an example of the other one. So there is an example for each other type
    /// that overlaps.
    package let examples: [String]
    /// Whether the examples are all texts of the type.
    package let isEnumeration: Bool
    /// Whether the type accepts a text, given as decoded bytes.
    ///
    /// The result must depend only on the text. For a wildcard, the function is called for each piece.
    package let accepts: @Sendable (Span<UInt8>) -> Bool

    package init(
        name: String, alphabet: String? = nil, examples: [String], isEnumeration: Bool = false,
        accepts: @escaping @Sendable (Span<UInt8>) -> Bool
    ) {
        self.name = name
        self.alphabet = alphabet
        self.examples = examples
        self.isEnumeration = isEnumeration
        self.accepts = accepts
    }
}
