import Testing
import XCallbackPipeline
import XCallbackRouting
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
}
