import XCallbackRouter

/// The same routes in a table and as naive routes, which must give equal answers.
package struct NaiveTable {
    private var routes: [NaiveRoute]
    private let table: RoutingTable

    /// Creates a table, without the routes that conflict.
    ///
    /// - Parameter routes: The routes.
    /// - Throws: ``TestFailure`` if an example of a conflict is false, `RoutePatternError` if a pattern is invalid.
    package init(_ routes: [NaiveRoute]) throws {
        self.routes = routes
        while true {
            let list = try self.routes.map {
                RoutingTable.Entry(pattern: try RoutePattern($0.pattern), types: $0.types)
            }
            do throws(RoutingConflicts) {
                table = try RoutingTable(list)
                return
            } catch {
                for conflict in error.conflicts {
                    guard let example = conflict.example else { continue }
                    let action = example.split(separator: "/").map(String.init)
                    let first = self.routes[conflict.first].match(action)
                    let second = self.routes[conflict.second].match(action)
                    guard first != nil, first?.ranks == second?.ranks else {
                        throw TestFailure("\(conflict) is no conflict of \(self.routes.map(\.pattern))")
                    }
                }
                self.routes.remove(at: error.conflicts[0].second)
            }
        }
    }

    /// Checks that both give the same answer for an action.
    ///
    /// - Parameter action: The segments, in ASCII.
    /// - Throws: ``TestFailure`` if they differ.
    package func check(_ action: [String]) throws {
        let matches = routes.map { $0.match(action) }
        let best = matches.indices.filter { matches[$0] != nil }.min { left, right in
            guard let one = matches[left], let other = matches[right] else { return false }
            return NaiveRoute.precedes(one.ranks, other.ranks)
        }
        let (route, captures) = try answer(to: action)
        guard route == best else { throw failure("answers by \(route.map(String.init) ?? "none")", action) }
        guard let best else { return }
        guard captures == matches[best]?.captures else { throw failure("captures \(captures)", action) }
        let ties = matches.indices.filter { matches[$0]?.ranks == matches[best]?.ranks }
        guard ties == [best] else { throw failure("has no conflict", action) }
    }

    /// Returns the route that the table matches, and its captures.
    private func answer(to action: [String]) throws -> (route: Int?, captures: [String: [String]]) {
        var bytes: [UInt8] = []
        var segments: [Range<Int>] = []
        for segment in action {
            let start = bytes.count
            bytes += Array(segment.utf8)
            segments.append(start..<bytes.count)
        }
        var captures = [Capture(index: 99, range: 0..<0)]
        guard let route = table.match(bytes.span, segments: segments.span, into: &captures) else { return (nil, [:]) }
        let names = try RoutePattern(routes[route].pattern).captures
        var texts: [String: [String]] = [:]
        for capture in captures {
            texts[names[capture.index].name, default: []].append(String(decoding: bytes[capture.range], as: UTF8.self))
        }
        return (route, texts)
    }

    private func failure(_ what: String, _ action: [String]) -> TestFailure {
        TestFailure("the table of \(routes.map(\.pattern)) \(what) for \(action)")
    }
}
