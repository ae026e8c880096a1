import Testing
import XCallbackTesting

/// What the documents of the library show is part of a package outside, which is compiled with the settings of any.
struct DocumentedCodeTests {
    static let modules = [
        "XCallback", "XCallbackAdministration", "XCallbackClient", "XCallbackRouter", "XCallbackURL",
    ]

    @Test func everyBlockOfSwiftIsCompiled() throws {
        let documents =
            packageFiles(below: "Docs", endingIn: ".md") + packageFiles(below: "Sources", endingIn: ".md") + [
                "README.md"
            ]
        let blocks = try documents.flatMap { try Self.blocks(in: "swift", of: $0) }
        #expect(blocks.count > 20)
        try Self.expectCompiled(blocks)
    }

    @Test func everyBlockOfACommentIsCompiled() throws {
        let files = Self.modules.flatMap { packageFiles(below: "Sources/\($0)", endingIn: ".swift") }
        let blocks = try files.flatMap { try Self.blocks(inCommentsOf: $0) }
        #expect(blocks.count > 8)
        try Self.expectCompiled(blocks)
    }

    @Test func everyPromiseHasATest() throws {
        let tests = try packageFiles(below: "Tests/Outside/Tests", endingIn: ".swift").map { try textOfPackageFile($0) }
            .joined()
        let page = try textOfPackageFile("Docs/Explanation/ComingFrom.md")
        let rows = page.split(separator: "\n").compactMap { $0.wholeMatch(of: /\|.*\| `(\w+)` \|/)?.1 }
        #expect(rows.count == 48)
        for test in rows {
            #expect(tests.contains("@Test func \(test)(") || tests.contains("\n    func \(test)("), "\(test)")
        }
    }

    @Test func theConfigurationOfTheExampleIsTheOneThatIsShown() throws {
        let shown = try Self.blocks(in: "yaml", of: "Sources/XCallback/XCallback.docc/GettingStarted.md")
        #expect(shown == [Self.lines(of: try textOfPackageFile("Docs/Examples/Greetings/config.yaml"))])
    }

    /// Expects each block in what 'make outside' compiles.
    private static func expectCompiled(_ blocks: [[String]]) throws {
        let files =
            packageFiles(below: "Tests/Outside", endingIn: ".swift")
            + packageFiles(below: "Docs/Examples/Greetings", endingIn: ".swift")
        let sources = try files.map { lines(of: try textOfPackageFile($0)) }
        for block in blocks {
            #expect(sources.contains { contains($0, block) }, "\(block.joined(separator: "\n"))")
        }
    }

    /// The lines of each block of a language, without what they are indented by.
    private static func blocks(in language: String, of document: String) throws -> [[String]] {
        try fencedBlocks(in: language, of: document).map { lines(of: $0.text) }
    }

    /// The lines of each block of the comments of a file, which are indented by four blanks below an empty line.
    private static func blocks(inCommentsOf file: String) throws -> [[String]] {
        var blocks: [[String]] = []
        var isOpen = false
        var isBelowEmpty = false
        for line in try textOfPackageFile(file).split(separator: "\n") {
            let comment = line.drop { $0 == " " }
            if comment.hasPrefix("///     "), isOpen || isBelowEmpty {
                let code = comment.dropFirst(3).drop { $0 == " " }
                if isOpen { blocks[blocks.count - 1].append(String(code)) } else { blocks.append([String(code)]) }
                isOpen = true
            } else {
                isOpen = false
            }
            isBelowEmpty = comment == "///"
        }
        return blocks
    }

    private static func lines(of text: String) -> [String] {
        text.split(separator: "\n").map { String($0.drop { $0 == " " }) }.filter { !$0.isEmpty }
    }

    private static func contains(_ lines: [String], _ block: [String]) -> Bool {
        guard lines.count >= block.count else { return false }
        return (0...lines.count - block.count).contains { lines[$0..<$0 + block.count].elementsEqual(block) }
    }
}
