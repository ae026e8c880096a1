import XCallbackRouting
import XCallbackTesting

extension Benchmark {
    /// Finds the routes of actions, each of a route at random, among so many.
    static func match(routes routeCount: Int) throws -> Benchmark {
        let patterns = StandardService.patterns(count: routeCount)
        let table = try RoutingTable(patterns.map { RoutingTable.Route(pattern: try RoutePattern($0)) })
        let actions = Actions(of: patterns, count: 4096)
        let name = "match of \(routeCount)"
        var captures: [Capture] = []
        for index in actions.routes.indices {
            let segments = actions.segments.span.extracting(actions.places[index])
            let route = table.match(actions.bytes.span, segments: segments, into: &captures)
            try BenchmarkFailure.check(name, route, is: actions.routes[index])
        }
        return Benchmark(name: name) { count in
            var captures: [Capture] = []
            var found = 0
            let bytes = actions.bytes.span
            let segments = actions.segments.span
            let places = actions.places.span
            for number in 0..<count {
                let action = segments.extracting(places[number % places.count])
                found &+= table.match(bytes, segments: action, into: &captures) ?? 0
            }
            keep(found)
        }
    }
}

/// Actions of routes at random, in a few pieces of memory.
private struct Actions {
    /// The routes that the actions belong to.
    private(set) var routes: [Int] = []
    /// The texts of all segments.
    private(set) var bytes: [UInt8] = []
    /// The places of all segments in the texts.
    private(set) var segments: [Range<Int>] = []
    /// The places of the actions in the segments.
    private(set) var places: [Range<Int>] = []

    init(of patterns: [String], count: Int) {
        var generator = SeededGenerator(seed: 4)
        for _ in 0..<count {
            let route = generator.below(patterns.count)
            let firstSegment = segments.count
            for segment in patterns[route].split(separator: "/") {
                let start = bytes.count
                let text = segment.hasPrefix(":") ? "\(generator.below(100_000))" : String(segment)
                bytes += text.utf8
                segments.append(start..<bytes.count)
            }
            places.append(firstSegment..<segments.count)
            routes.append(route)
        }
    }
}
