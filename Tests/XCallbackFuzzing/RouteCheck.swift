import XCallbackRouter
import XCallbackTesting
import XCallbackURL
import XCallbackWire

/// Checks that a table of routes answers as each of them does alone, and as the naive matcher does.
///
/// The input is `0` with what routes are made of, or `1` with lines: actions behind a `>`, and patterns.
func checkRoutes(_ input: FuzzInput) throws {
    var input = input
    if input.below(2) == 0 {
        let routes = (0...input.below(6)).map { _ in NaiveRoute { input.below($0) } }
        let table = try NaiveTable(routes)
        for _ in 0...input.below(8) {
            try table.check((0..<input.below(6)).map { _ in input.text(of: ["a", "b", "-", "1", "x"]) })
        }
        return
    }
    var patterns: [RoutePattern] = []
    var actions: [[UInt8]] = []
    while !input.isEmpty {
        // No URL holds a zero byte, so that a pattern with one answers nothing.
        let line = input.takeLine().filter { $0 != 0 }
        if line.first == UInt8(ascii: ">") {
            actions.append(Array(line.dropFirst()))
        } else if let pattern = try readPattern(String(decoding: line, as: UTF8.self)) {
            patterns.append(pattern)
        }
    }
    let routes = patterns.map { RoutingTable.Entry(pattern: $0) }
    try RouteAgreement(routes).check(actions)
}

/// The pattern that a text is; nil if it is none, with a fault in it.
private func readPattern(_ text: String) throws -> RoutePattern? {
    do {
        let pattern = try RoutePattern(text)
        let names = pattern.captures.map { Array($0.name.utf8) }
        try check(Set(names).count == names.count, "a name repeats in \(text)")
        return pattern
    } catch let error as RoutePatternError {
        try check(0...text.unicodeScalars.count ~= error.position, "a fault outside of the pattern: \(error)")
        return nil
    }
}

/// Routes in one table, and each by itself.
private struct RouteAgreement {
    private var routes: [RoutingTable.Entry]
    private let table: RoutingTable

    /// Makes a table after it has removed routes that conflict, both of which must answer what the conflict tells.
    init(_ routes: [RoutingTable.Entry]) throws {
        self.routes = routes
        while true {
            do throws(RoutingConflicts) {
                table = try RoutingTable(self.routes)
                return
            } catch {
                for conflict in error.conflicts {
                    guard let example = conflict.example else { continue }
                    guard let action = try? ActionURL("a:\(example)") else {
                        throw TestFailure("no URL has the action of \(conflict)")
                    }
                    for index in [conflict.first, conflict.second] {
                        try Self.checkMatch(of: self.routes[index], action, "\(conflict)")
                    }
                }
                self.routes.remove(at: error.conflicts[0].second)
            }
        }
    }

    /// Checks the answers to actions, as URLs write them; those of which there is no URL are passed over.
    func check(_ actions: [[UInt8]]) throws {
        for action in actions {
            var url = ActionURL()
            let text = Array("a:/".utf8) + action
            guard (try? url.parse(text.span)) != nil else { continue }
            let bytes = url.storage.bytes.span
            let segments = url.segmentRanges.span
            var captures = [Capture(index: 99, range: 0..<0)]
            let answering = table.match(bytes, segments: segments, into: &captures)
            for (index, route) in routes.enumerated() {
                let pattern = route.pattern.text
                switch RouteExamination(of: route, bytes, segments: url.segmentRanges) {
                case .matches(let found):
                    guard let answering else { throw TestFailure("nothing answers \(text.shown), but \(pattern)") }
                    guard answering == index else { continue }
                    try XCallbackFuzzing.check(
                        found == captures, "\(pattern) captures \(captures), alone \(found)")
                case .differs:
                    try XCallbackFuzzing.check(answering != index, "\(pattern) answers \(text.shown), but not alone")
                }
            }
            if let answering { try check(captures, of: routes[answering].pattern, url) }
        }
    }

    /// Checks that captures stand in the segments, and name what they are.
    private func check(_ captures: [Capture], of pattern: RoutePattern, _ url: ActionURL) throws {
        for capture in captures {
            let isInSegment = url.segmentRanges.indices.contains { index in
                let segment = url.segmentRanges[index]
                return segment.lowerBound <= capture.range.lowerBound && capture.range.upperBound <= segment.upperBound
            }
            try XCallbackFuzzing.check(
                isInSegment && !capture.range.isEmpty && pattern.captures.indices.contains(capture.index),
                "\(pattern.text) captures \(capture) of \(url)")
        }
        let required = pattern.captures.indices.filter { !pattern.captures[$0].isOptional }
        try XCallbackFuzzing.check(
            required.allSatisfy { index in captures.contains { $0.index == index } }, "\(pattern.text) lacks a capture")
    }

    private static func checkMatch(of route: RoutingTable.Entry, _ url: ActionURL, _ what: String) throws {
        guard case .matches = RouteExamination(of: route, url.storage.bytes.span, segments: url.segmentRanges) else {
            throw TestFailure("\(route.pattern.text) does not answer the action of \(what)")
        }
    }
}
