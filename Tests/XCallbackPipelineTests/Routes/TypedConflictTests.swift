import Testing
import XCallbackPipeline
import XCallbackRouting
import XCallbackTesting
import XCallbackURL

/// Conflicts of routes whose captures have the types of configurations.
struct TypedConflictTests {
    struct Row: Sendable {
        let first: String
        let type: ParameterType
        let second: String
        let otherType: ParameterType
        let witness: String?

        init(_ first: String, _ type: ParameterType, _ second: String, _ otherType: ParameterType, _ witness: String?) {
            (self.first, self.type, self.second, self.otherType) = (first, type, second, otherType)
            self.witness = witness
        }
    }

    /// The captures are all called `x`.
    static let rows: [Row] = [
        Row("/range/10-:x", .integer, "/range/:x-99", .integer, "/range/10-99"),
        Row("/10-:x", .integer, "/:x-0a", .integer, nil),
        Row("/2024-:x", .integer, "/:x-\\023", .date, nil),
        Row("/day-2024:x", .string, "/:x-02-29xx", .string, "/day-2024-02-29xx"),
        Row("/v-:x", .date, "/v-:x", .integer, nil), Row("/v-:x", .date, "/v-:x", .url, nil),
        Row("/v-:x", .date, "/v-:x", .number, nil), Row("/:x", .date, "/:x", .data, nil),
        Row("/:x", .integer, "/:x", .data, "/000"), Row("/:x", .integer, "/:x", .number, "/0"),
        Row("/:x", .boolean, "/:x", .integer, "/1"), Row("/:x", .boolean, "/:x", .uuid, nil),
        Row("/:x", .uuid, "/:x", .data, "/aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa"), Row("/:x", .url, "/:x", .data, nil),
        Row("/:x", .enumeration(["9223372036854775808"]), "/:x", .integer, nil),
        Row("/:x", .enumeration(["a", "9223372036854775807"]), "/:x", .integer, "/9223372036854775807"),
        Row("/:x", .enumeration(["2023-02-29"]), "/:x", .date, nil),
        Row("/:x", .enumeration(["2024-02-29"]), "/:x", .date, "/2024-02-29"),
        Row("/:x", .enumeration(["1e999"]), "/:x", .number, "/1e999"),
        Row("/:x", .enumeration(["a", "b"]), "/:x", .enumeration(["c", "b"]), "/b"),
        Row("/:x", .enumeration(["a"]), "/:x", .enumeration(["A"]), nil),
        Row("/a:x", .data, "/:x=", .data, "/aaac="),
    ]

    @Test(arguments: rows, [false, true])
    func twoRoutesConflictIfAnActionIsOfBoth(row: Row, isSwapped: Bool) throws {
        var routes = try [(row.first, row.type), (row.second, row.otherType)].map { pattern, type in
            let types = type == .string ? [:] : ["x": type.captureType]
            return RoutingTable.Route(pattern: try RoutePattern(pattern), types: types)
        }
        if isSwapped { routes.reverse() }
        do throws(RoutingConflicts) {
            _ = try RoutingTable(routes)
            #expect(row.witness == nil)
        } catch {
            #expect(error.conflicts.map(\.witness) == [row.witness])
        }
    }

    /// Patterns with so many forms of an action that not all of them can be gone through.
    static let patternsWithManyForms:
        [(first: String, ParameterType, second: String, ParameterType, witness: String?)] = [
            ("/*x\(many("c"))/*b", .enumeration(["p"]), "/*x/*d", .enumeration(["q"]), nil),
            ("/*x\(many("c"))/*b", .enumeration(["p", "r"]), "/*x/*d", .enumeration(["q", "p"]), "/p/a"),
            ("/*x\(groups("x"))/*q", .integer, "/*x\(groups("y"))/*q", .uuid, nil),
        ]

    private static func many(_ name: String) -> String {
        "{/:\(name)" + (0..<40).map { "/:\(name)\($0)" }.joined() + "/x}"
    }

    private static func groups(_ name: String) -> String { (0..<6).map { "{/:g\($0)/\(name)\($0)}" }.joined() }

    @Test(.timeLimit(.minutes(5)), arguments: patternsWithManyForms)
    func manyFormsOfAnActionAreNoHindrance(
        first: String, type: ParameterType, second: String, otherType: ParameterType, witness: String?
    ) throws {
        let routes = try [(first, type), (second, otherType)].map { pattern, type in
            RoutingTable.Route(pattern: try RoutePattern(pattern), types: ["x": type.captureType])
        }
        do throws(RoutingConflicts) {
            _ = try RoutingTable(routes)
            #expect(witness == nil)
        } catch {
            #expect(error.conflicts.map(\.witness) == [witness])
        }
    }

    @Test(.timeLimit(.minutes(5)))
    func manyRoutesThatDifferInTheMiddleOfASegmentAreTold() throws {
        for (pattern, isTyped) in [("/:x-a%-:y", true), ("/:x.v%.:y", true), ("/*x/m/*y/a%-:z", false)] {
            let types =
                isTyped ? ["x": ParameterType.integer.captureType, "y": ParameterType.integer.captureType] : [:]
            let routes = try (0..<2000).map { number in
                RoutingTable.Route(
                    pattern: try RoutePattern(pattern.replacing("%", with: "\(1000 + number)")), types: types)
            }
            _ = try RoutingTable(routes)
            #expect(throws: RoutingConflicts.self) { try RoutingTable(routes + routes.suffix(1)) }
        }
    }
}
