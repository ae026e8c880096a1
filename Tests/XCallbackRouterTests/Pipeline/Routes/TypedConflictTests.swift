import Testing
import XCallbackRouter
import XCallbackTesting
import XCallbackURL

/// Conflicts of routes whose captures have the types of configurations.
struct TypedConflictTests {
    private static func conflicts(
        _ first: String, _ type: ParameterType, _ second: String, _ otherType: ParameterType
    ) throws -> [RoutingConflict] {
        let routes = try [(first, type), (second, otherType)].map { pattern, type in
            let types = type == .string ? [:] : ["x": type.captureType]
            return RoutingTable.Entry(pattern: try RoutePattern(pattern), types: types)
        }
        do throws(RoutingConflicts) {
            _ = try RoutingTable(routes)
            return []
        } catch {
            return error.conflicts
        }
    }

    static let types: [ParameterType] = [.integer, .number, .boolean, .date, .url, .uuid, .data]
    static let overlaps: [Set<ParameterType>] = [
        [.integer, .number], [.integer, .boolean], [.integer, .data], [.number, .boolean], [.number, .data],
        [.boolean, .data], [.uuid, .data],
    ]

    @Test(arguments: types, types)
    func twoTypesConflictIfTheyHaveACommonText(type: ParameterType, otherType: ParameterType) throws {
        for pattern in ["/:x", "/v-:x", "/*x"] {
            let conflicts = try Self.conflicts(pattern, type, pattern, otherType)
            #expect(conflicts.isEmpty == (type != otherType && !Self.overlaps.contains([type, otherType])))
            #expect(conflicts.allSatisfy { $0.example != nil })
        }
    }

    static let enumerations: [(value: String, type: ParameterType, example: String?)] = [
        ("9223372036854775808", .integer, nil), ("9223372036854775807", .integer, "/9223372036854775807"),
        ("2023-02-29", .date, nil), ("2024-02-29", .date, "/2024-02-29"), ("1e999", .number, "/1e999"),
        ("YES", .boolean, "/YES"), ("a", .enumeration(["A"]), nil), ("a", .enumeration(["c", "a"]), "/a"),
    ]

    @Test(arguments: enumerations)
    func theValuesOfAnEnumerationAreCompared(value: String, type: ParameterType, example: String?) throws {
        let conflicts = try Self.conflicts("/:x", .enumeration(["q", value]), "/:x", type)
        #expect(conflicts.map(\.example) == (example.map { [$0] } ?? []))
    }

    /// Texts of all types: each consists of the bytes of its type's alphabet.
    static let texts = [
        "-9223372036854775808", "007", "-0.5e-17", "1E+2", "TRUE", "False", "yes", "No", "1", "0", "2026-01-31",
        "2026-01-31T08:00:00.5+01:00", "2026-01-31T08:00:00Z", "0123abcd-EF45-6789-ABCD-ef0123456789", "ab+/", "a-_=",
        "QUJDRA==", "a:b%20ü",
    ]

    @Test(arguments: types)
    func theBytesOfATypeAreInItsAlphabet(type: ParameterType) {
        let alphabet = type.captureType.alphabet.map { Set($0.utf8) }
        for text in Self.texts where type.matches(text.utf8.span) {
            #expect(alphabet.map { Set(text.utf8).isSubset(of: $0) } ?? true, "\(text)")
        }
        for example in type.captureType.examples {
            let isAccepted = type.matches(example.utf8.span)
            #expect(isAccepted, "\(example)")
        }
    }
}
