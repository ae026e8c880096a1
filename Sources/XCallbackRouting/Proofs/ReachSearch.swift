/// Finds routes that never answer, because better ones answer every action that they match.
///
/// Each route is tested with representative actions: a capture without a type is filled with a text that no other
/// pattern contains, so a better route for it is better for every text; a capture with few values is filled with each
/// of them; a wildcard gets every number of segments that can make a difference. If other types make the question
/// undecidable, the route counts as reachable.
package struct ReachSearch {
    /// A route that never answers.
    package struct Finding: Hashable, Sendable {
        /// The index of the route.
        package let route: Int
        /// The index of a better route, which answers an action that both match.
        package let better: Int
    }

    /// The maximum number of actions to test before a route counts as reachable.
    private static let actionLimit = 4096

    private let routes: [RoutingTable.Route]
    private let table: RoutingTable
    /// A byte that is in no pattern, if there is one that no type accepts.
    private let filler: UInt8?
    /// One more than the maximum number of segments of a pattern: a wildcard that takes more can take any number.
    private let wildcardLimit: Int

    /// Creates a search.
    ///
    /// - Parameters:
    ///   - table: The table.
    ///   - routes: The routes of the table.
    package init(_ table: RoutingTable, of routes: [RoutingTable.Route]) {
        self.table = table
        self.routes = routes
        var isUsed = Array(repeating: false, count: 256)
        var longest = 0
        for route in routes {
            for byte in route.pattern.segments.texts { isUsed[Int(byte)] = true }
            var segmentCount = 0
            for element in route.pattern.segments.elements {
                if element == .segmentEnd { segmentCount += 1 }
                longest = max(longest, segmentCount)
                if element == .alternativeEnd { segmentCount = 0 }
            }
        }
        let types = table.types
        filler = (1...0x7F).first { byte in
            !isUsed[Int(byte)] && !types.contains { $0.accepts([byte].span) }
        }
        wildcardLimit = longest + 1
    }

    /// Returns the routes that never answer, in order.
    package func unreachableRoutes() -> [Finding] {
        guard let filler else { return [] }
        var action = FlatAction()
        return routes.indices.compactMap { index in
            // Nearly all routes answer their first action; the others are fully tested.
            let isFilled = action.fill(routes[index].pattern.segments, filler) { routes[index].type(ofCapture: $0) }
            if isFilled, answerer(of: action) == index { return nil }
            let route = routes[index]
            var better: Int?
            for alternative in route.pattern.alternatives {
                guard let actions = Actions(alternative, of: route, filler, wildcardLimit, Self.actionLimit) else {
                    return nil
                }
                for action in actions.all {
                    // The table can divide a segment differently from its construction.
                    guard let answerer = answerer(of: action), answerer != index else { return nil }
                    better = better ?? answerer
                }
            }
            return better.map { Finding(route: index, better: $0) }
        }
    }

    private func answerer(of segments: [[UInt8]]) -> Int? {
        var action = FlatAction()
        for segment in segments { action.append(segment) }
        return answerer(of: action)
    }

    private func answerer(of action: FlatAction) -> Int? {
        var scratch: [Capture] = []
        return table.match(action.bytes.span, segments: action.ranges.span, scratch: &scratch)?.route
    }
}

/// An action in the form that a table reads; refilling reuses its memory.
private struct FlatAction {
    private(set) var bytes: [UInt8] = []
    private(set) var ranges: [Range<Int>] = []

    mutating func append(_ segment: [UInt8]) {
        ranges.append(bytes.count..<bytes.count + segment.count)
        bytes += segment
    }

    /// Becomes the first representative action of a pattern's fullest alternative.
    ///
    /// - Returns: Whether there is such an action.
    mutating func fill(
        _ segments: PatternSegments, _ filler: UInt8, typesBy type: (_ capture: Int) -> CaptureType?
    ) -> Bool {
        bytes.removeAll(keepingCapacity: true)
        ranges.removeAll(keepingCapacity: true)
        var (text, start) = (0, 0)
        for element in segments.elements {
            switch element {
            case .text(let count):
                bytes += segments.texts[text..<text + Int(count)]
                text += Int(count)
            case .parameter(let capture), .wildcard(let capture):
                guard let type = type(Int(capture)) else {
                    bytes.append(filler)
                    continue
                }
                guard let value = type.values?.first(where: { !$0.isEmpty }) else { return false }
                bytes += value.utf8
            case .segmentEnd:
                ranges.append(start..<bytes.count)
                start = bytes.count
            case .alternativeEnd:
                return true
            }
        }
        return false
    }
}

extension RoutingTable.Route {
    /// The declared type of a capture.
    fileprivate func type(ofCapture capture: Int) -> CaptureType? {
        types.isEmpty ? nil : types[pattern.captures[capture].name]
    }
}

/// The representative actions of an alternative of a pattern.
private struct Actions {
    /// The representative texts of each segment of the pattern, each a list of segments.
    private let choices: [[[[UInt8]]]]

    /// Creates the actions; nil if the texts of a capture are unknown, or if the limit is exceeded.
    init?(
        _ alternative: [RoutePattern.Segment], of route: RoutingTable.Route, _ filler: UInt8, _ wildcardLimit: Int,
        _ limit: Int
    ) {
        var choices: [[[[UInt8]]]] = []
        var count = 1
        for segment in alternative {
            var texts: [[UInt8]] = [[]]
            var hasWildcard = false
            for part in segment {
                guard let pieces = Self.pieces(of: part, in: route, filler), texts.count * pieces.count <= limit else {
                    return nil
                }
                texts = texts.flatMap { text in pieces.map { text + $0 } }
                hasWildcard = hasWildcard || part.isWildcard
            }
            // A wildcard with other parts in its segment is not tested.
            if hasWildcard, segment.count > 1 { return nil }
            let lengths = 1...(hasWildcard ? wildcardLimit : 1)
            count *= texts.count * lengths.count
            if count > limit { return nil }
            choices.append(lengths.flatMap { length in texts.map { Array(repeating: $0, count: length) } })
        }
        self.choices = choices
    }

    /// All actions.
    var all: [[[UInt8]]] {
        choices.reduce([[]]) { actions, choice in actions.flatMap { action in choice.map { action + $0 } } }
    }

    private static func pieces(
        of part: RoutePattern.Part, in route: RoutingTable.Route, _ filler: UInt8
    ) -> [[UInt8]]? {
        switch part {
        case .text(let bytes): return [bytes]
        case .parameter(let capture), .wildcard(let capture):
            guard let type = route.type(ofCapture: capture) else { return [[filler]] }
            guard let values = type.values, !part.isWildcard else { return nil }
            return values.filter { !$0.isEmpty }.map { Array($0.utf8) }
        }
    }
}
