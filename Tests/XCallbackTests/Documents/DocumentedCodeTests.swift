import Glibc
import Testing
import XCallbackTesting

/// What the documents of the library show is part of what is compiled: of these tests, or of the example package.
struct DocumentedCodeTests {
    static let documents = [
        "Docs/ComingFrom.md", "Sources/XCallback/XCallback.docc/GettingStarted.md",
    ]
    static let sources = [
        "Tests/XCallbackTests/Seeds/MiddlemanTests.swift", "Tests/XCallbackTests/Seeds/URLSchemeRouterTests.swift",
        "Tests/XCallbackTests/Seeds/BFGCallbackRouterTests.swift", "Tests/XCallbackTests/Seeds/YukinaTests.swift",
        "Docs/Examples/Greetings/Package.swift", "Docs/Examples/Greetings/Sources/Greetings/Greeter.swift",
        "Docs/Examples/Greetings/Sources/greeter/GreeterProgram.swift",
        "Docs/Examples/Greetings/Sources/greet/GreetProgram.swift",
    ]

    @Test(arguments: documents)
    func everyBlockOfSwiftIsCompiled(document: String) throws {
        let sources = try Self.sources.map { Self.lines(of: try textOfPackageFile($0)) }
        let blocks = try Self.blocks(in: "swift", of: document)
        try #require(blocks.count >= 4)
        for block in blocks {
            #expect(sources.contains { Self.contains($0, block) }, "\(block.joined(separator: "\n"))")
        }
    }

    @Test func theConfigurationOfTheExampleIsTheOneThatIsShown() throws {
        let shown = try Self.blocks(in: "yaml", of: Self.documents[1])
        #expect(shown == [Self.lines(of: try textOfPackageFile("Docs/Examples/Greetings/config.yaml"))])
    }

    /// Those that are not in others, of the library and what it is made of.
    @Test func theListOfTypesIsWhole() throws {
        let types = try ["XCallback", "XCallbackPipeline", "XCallbackURL"].flatMap { module in
            try Self.sourceFiles(below: "Sources/\(module)").flatMap { try Self.types(declaredIn: $0) }
        }
        let section = try textOfPackageFile("Docs/Library.md").split(separator: "\n").drop { $0 != "| for | types |" }
        let cells = section.dropFirst(2).prefix { $0.hasPrefix("|") }
        let listed = cells.flatMap { $0.matches(of: /`(\w+)`/).map { String($0.1) } }
        #expect(listed.sorted() == types.sorted())
        #expect(types.count > 30)
    }

    private static func sourceFiles(below folder: String) throws -> [String] {
        let directory = try TemporaryDirectory()
        let list = directory.path(of: "list")
        let words = ["/usr/bin/find", "\(packageFolder)/\(folder)", "-name", "*.swift"]
        try ChildProcess(words, output: list, error: list).wait()
        let paths = try directory.text(of: "list").split(separator: "\n")
        return paths.map { String($0.dropFirst(packageFolder.count + 1)) }
    }

    /// The names of the public types that a file declares at its top level.
    private static func types(declaredIn file: String) throws -> [String] {
        try textOfPackageFile(file).split(separator: "\n").compactMap { line in
            let type = line.prefixMatch(of: /public (?:final |indirect )?(?:struct|class|enum|protocol|actor) (\w+)/)
            return type.map { String($0.1) }
        }
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

    private static func lines(of text: String) -> [String] {
        text.split(separator: "\n").map { String($0.drop { $0 == " " }) }.filter { !$0.isEmpty }
    }

    private static func contains(_ lines: [String], _ block: [String]) -> Bool {
        guard lines.count >= block.count else { return false }
        return (0...lines.count - block.count).contains { lines[$0..<$0 + block.count].elementsEqual(block) }
    }
}
