import Testing
import XCallbackDaemon
import XCallbackTesting

/// The state machines as the document on the architecture draws them.
struct StateDiagramTests {
    @Test(arguments: StateDiagrams.all.keys.sorted())
    func theDocumentHasTheDiagramOfTheTable(name: String) throws {
        let diagram = try #require(StateDiagrams.all[name])
        let document = try textOfPackageFile("Docs/Explanation/Architecture.md")
        #expect(document.contains("```mermaid\n\(diagram)\n```\n"), "expected:\n\(diagram)")
    }
}
