import Glibc
import Testing
import XCallbackTesting

/// What the documents of the library show is part of a package outside, which is compiled with the settings of any.
struct DocumentedCodeTests {
    static let modules = [
        "XCallback", "XCallbackAdministration", "XCallbackClient", "XCallbackPipeline", "XCallbackURL",
    ]

    @Test func everyBlockOfSwiftIsCompiled() throws {
        let documents = try Self.files("*.md", below: "Docs") + Self.files("*.md", below: "Sources") + ["README.md"]
        let blocks = try documents.flatMap { try Self.blocks(in: "swift", of: $0) }
        #expect(blocks.count > 20)
        try Self.expectCompiled(blocks)
    }

    @Test func everyBlockOfACommentIsCompiled() throws {
        let files = try Self.modules.flatMap { try Self.files("*.swift", below: "Sources/\($0)") }
        let blocks = try files.flatMap { try Self.blocks(inCommentsOf: $0) }
        #expect(blocks.count > 8)
        try Self.expectCompiled(blocks)
    }

    @Test func everyPromiseHasATest() throws {
        let tests = try Self.files("*.swift", below: "Tests/Outside/Tests").map { try textOfPackageFile($0) }.joined()
        let page = try textOfPackageFile("Docs/Explanation/ComingFrom.md")
        let rows = page.split(separator: "\n").compactMap { $0.wholeMatch(of: /\|.*\| `(\w+)` \|/)?.1 }
        #expect(rows.count == 45)
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
        let files = try files("*.swift", below: "Tests/Outside") + files("*.swift", below: "Docs/Examples/Greetings")
        let sources = try files.map { lines(of: try textOfPackageFile($0)) }
        for block in blocks {
            #expect(sources.contains { contains($0, block) }, "\(block.joined(separator: "\n"))")
        }
    }

    private static func files(_ pattern: String, below folder: String) throws -> [String] {
        let directory = try TemporaryDirectory()
        let list = directory.path(of: "list")
        let path = "\(packageFolder)/\(folder)"
        let words = ["/usr/bin/find", path, "-name", pattern, "-not", "-path", "\(path)/.build/*"]
        try ChildProcess(words, output: list, error: list).wait()
        let paths = try directory.text(of: "list").split(separator: "\n")
        return paths.map { String($0.dropFirst(packageFolder.count + 1)) }
    }

    /// The lines of each block of a language, without what they are indented by.
    private static func blocks(in language: String, of document: String) throws -> [[String]] {
        var blocks: [[String]] = []
        var open: (isWanted: Bool, text: String)?
        for line in try textOfPackageFile(document).split(separator: "\n", omittingEmptySubsequences: false) {
            if !line.hasPrefix("```") {
                open?.text += "\(line)\n"
            } else if let block = open {
                if block.isWanted { blocks.append(lines(of: block.text)) }
                open = nil
            } else {
                open = (line == "```\(language)", "")
            }
        }
        return blocks
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
