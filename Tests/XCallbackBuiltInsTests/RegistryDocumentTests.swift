import Testing
import XCallbackBuiltIns
import XCallbackTesting

/// The registry of stages and keys, and the files that name them all.
struct RegistryDocumentTests {
    @Test func theSchemaHasEachStageAndKey() throws {
        let text = try textOfPackageFile("config/xcallbackd.schema.json")
        for name in Registry.names { #expect(text.contains("\"\(name)\": "), "\(name)") }
    }

    @Test func theManualPageHasEachStageAndKey() throws {
        let lines = try textOfPackageFile("Docs/man/xcallbackd.yaml.5").split(separator: "\n")
        let words = Set(lines.filter { $0.contains("Cm ") }.flatMap { $0.split(separator: " ").map(String.init) })
        for name in Registry.names { #expect(words.contains(name), "\(name)") }
    }

    @Test func theReferenceHasARowForEach() throws {
        let text = try ["Stages", "Configuration", "Programs"].map { try textOfPackageFile("Docs/Reference/\($0).md") }
        let cells = text.joined().split(separator: "\n").filter { $0.hasPrefix("| `") }.map {
            $0.split(separator: "|")[0]
        }
        for name in Registry.names {
            #expect(cells.contains { $0.contains("`\(name)`") || $0.contains("`\(name):") }, "\(name)")
        }
    }
}
