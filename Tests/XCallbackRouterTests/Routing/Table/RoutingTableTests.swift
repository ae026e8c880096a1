import TestSupport
import Testing
import XCallbackRouter
import XCallbackTesting

struct RoutingTableTests {
    typealias Row = (patterns: [String], action: String, answer: String?, captures: [String: [String]])

    static let precedence: [Row] = [
        (["/a", "/:b", "/*c"], "/a", "/a", [:]),
        (["/ab", "/a:b", "/:b"], "/ab", "/ab", [:]),
        (["/a:x", "/:x", "/*x"], "/ab", "/a:x", ["x": ["b"]]),
        (["/ab:x", "/a:x"], "/abc", "/ab:x", ["x": ["c"]]),
        (["/a:x", "/:x-b"], "/ab-b", "/:x-b", ["x": ["ab"]]),
        (["/:x", "/a*x", "/*x"], "/ab", "/a*x", ["x": ["b"]]),
        (["/ab*x", "/a*x", "/*x"], "/abc/d", "/ab*x", ["x": ["c", "d"]]),
        (["/a/:x", "/:x/a"], "/a/a", "/a/:x", ["x": ["a"]]),
        (["/*x/b", "/*y"], "/a/c", "/*y", ["y": ["a", "c"]]),
        (["/*x/b/:c", "/*x/:y/c"], "/a/b/c", "/*x/b/:c", ["x": ["a"], "c": ["c"]]),
        (["/a-:x/b", "/a-:x/:y", "/:x-a/c"], "/a-a-a/c", "/:x-a/c", ["x": ["a-a"]]),
        (["/a{/:b}", "/a/:c/d"], "/a/1", "/a{/:b}", ["b": ["1"]]),
    ]

    static let backtracking: [Row] = [
        (["/a/b", "/:x/c"], "/a/c", "/:x/c", ["x": ["a"]]),
        (["/a/:p/b", "/a:q/:r/d", "/:x/:y/c"], "/ab/1/c", "/:x/:y/c", ["x": ["ab"], "y": ["1"]]),
        (["/a-:x-:y/b", "/:z/c"], "/a-1-2/c", "/:z/c", ["z": ["a-1-2"]]),
        (["/*a/x/*b/y", "/*a/x/:c"], "/1/x/2/x/3", "/*a/x/:c", ["a": ["1", "x", "2"], "c": ["3"]]),
        (["/a/b/c", "/:x/b"], "/a/b/d", nil, [:]),
    ]

    @Test(arguments: precedence + backtracking, 0..<6)
    func theMostSpecificRouteAnswersInAnyOrder(row: Row, seed: Int) throws {
        var generator = SeededGenerator(seed: UInt64(seed))
        let patterns = row.patterns.shuffled(using: &generator)
        let answer = try RoutingTable(patterns).answer(row.action, patterns: patterns)
        #expect(answer.map { patterns[$0.route] } == row.answer)
        #expect(answer?.captures ?? [:] == row.captures)
    }

    @Test
    func capturesComeInTheOrderOfThePattern() throws {
        let table = try RoutingTable(["/:a-:b-:c/*d-:e.:f"])
        let action = Action("/1-2-3/4/5-6.7")
        var captures: [Capture] = []
        let route = table.match(action.bytes.span, segments: action.segments.span, into: &captures)
        #expect(route == 0)
        #expect(captures.map(\.index) == [0, 1, 2, 3, 3, 4, 5])
        #expect(captures.map(\.range.lowerBound) == [0, 2, 4, 5, 6, 8, 10])
    }

    @Test
    func anEmptyTableAnswersNothing() throws {
        expect(try RoutingTable([]).answer("/", patterns: []), equals: nil)
        expect(try RoutingTable([]).answer("/a", patterns: []), equals: nil)
    }

    @Test(arguments: [
        ("/1", 0), ("/true", 1), ("/blue", 2), ("/A", 3), ("/1/2", 5), ("/1/a", 4),
    ])
    func theTypeOfACaptureDecidesAndFallsBack(action: String, route: Int) throws {
        let patterns = ["/:a", "/:a", "/:a", "/:a", "/*a", "/*a"]
        let types: [CaptureType?] = [.int, .flag, .blue, nil, nil, .int]
        let routes = try zip(patterns, types).map { pattern, type in
            RoutingTable.Entry(pattern: try RoutePattern(pattern), types: type.map { ["a": $0] } ?? [:])
        }
        expect(try RoutingTable(routes).answer(action, patterns: patterns)?.route, equals: route)
    }

    @Test(arguments: [
        ("/:a.:b", "/1.2", true), ("/:a.:b", "/1.x", false), ("/:a.:b", "/1.2.3", false),
        ("/v*a", "/v1/2", true), ("/v*a", "/v1/x", false), ("/*a-:b/x", "/1/2-3/x", true),
        ("/*a-:b/x", "/1/2-y/x", false), ("/*a/x/*b", "/1/x/2", true), ("/*a/x/*b", "/1/x/y", false),
        ("/a{/:b}", "/a/1", true), ("/a{/:b}", "/a/x", false),
    ])
    func everyPieceMustHaveTheTypeOfItsCapture(pattern: String, action: String, isAnswered: Bool) throws {
        let table = try RoutingTable([pattern], types: ["a": .int, "b": .int])
        #expect((try table.answer(action, patterns: [pattern]) != nil) == isAnswered)
    }

    @Test(
        .timeLimit(.minutes(10)),
        arguments: [
            (["/*a/x/*b/x/*c/x/y"], "x", 200),
            (["/*a/x/*b/x/*c/x/*d/x/*e/y", "/*a/x/*b/z"], "x", 2000),
            (["/*a/:b/*c/:d/*e/:f/*g/y"], "x", 2000),
            (["/x*a/x*b/x*c/x*d/x*e/x*f/y"], "xx", 1000),
            (["/*a-*b/*c-*d/*e-*f/y"], "a-b-c", 500),
            (["/:a-:b-:c-:d-:e-:f\\!"], String(repeating: "-", count: 5000), 1),
        ]
    )
    func aHopelessActionIsRefusedInBoundedSteps(patterns: [String], segment: String, count: Int) throws {
        let action = String(repeating: "/" + segment, count: count)
        expect(try RoutingTable(patterns).answer(action, patterns: patterns), equals: nil)
    }

    @Test(arguments: ["/%-:x", "/get-:x.%", "/:x-%", "/%-:x-%"])
    func ofManyRoutesOnlyThoseAreTriedThatCanMatch(pattern: String) throws {
        let asked = Counter()
        let type = CaptureType(name: "counted", examples: ["a"]) { _ in
            asked.count()
            return true
        }
        let patterns = (1000..<2000).map { pattern.replacing("%", with: "\($0)") }
        let table = try RoutingTable(patterns, types: ["x": type])
        asked.reset()
        for number in [1000, 1234, 1999] {
            let action = pattern.replacing("%", with: "\(number)").replacing(":x", with: "some")
            expect(try table.answer(action, patterns: patterns)?.captures, equals: ["x": ["some"]])
        }
        // Once to match, and once to capture.
        #expect(asked.value == 6)
    }

    @Test
    func aLongPatternIsMatchedWithoutDeepRecursion() throws {
        let pattern = "/*first" + (0..<126).map { "/:p\($0)" }.joined()
        let answer = try RoutingTable([pattern]).answer(
            String(repeating: "/a", count: 5000), patterns: [pattern]
        )
        #expect(answer?.captures["first"]?.count == 5000 - 126)
    }
}

extension CaptureType {
    /// The one word `blue`.
    fileprivate static let blue = Self(name: "blue", examples: ["blue"], isEnumeration: true) { text in
        String(decoding: text.indices.map { text[$0] }, as: UTF8.self) == "blue"
    }
}
