import Testing
import XCallbackTesting

/// The commands that the documents show or name: each exists, and has the options that it is given.
struct CommandExampleTests {
    private static let manual = "Docs/man/xcallback.1"
    /// What ends the words of a command in a shell.
    private static let ends: Set<Substring> = ["|", "||", "&", "&&", ";", "#", "--", "--menu"]

    /// The options of each command, as the manual page has them; those before the first command belong to all.
    private static func options() throws -> [String: Set<String>] {
        let list = try textOfPackageFile(manual).split(separator: ".Sh OPTIONS")[1].split(separator: ".Sh ")[0]
        let sections = list.split(separator: ".Ss ")
        let options = sections.map { section in
            let items = section.split(separator: "\n").filter { $0.hasPrefix(".It ") }
            return Set(items.flatMap { $0.matches(of: /Fl (-?[a-z-]+)/).map { "-\($0.1)" } })
        }
        let names = sections.dropFirst().map { String($0.prefix { $0 != "\n" }) }
        return Dictionary(uniqueKeysWithValues: zip(names, options.dropFirst().map { $0.union(options[0]) }))
    }

    /// The texts of a document that can hold commands: code within lines, and blocks for a shell.
    private static func code(of file: String) throws -> [Substring] {
        let parts = try textOfPackageFile(file).split(separator: "\n```", omittingEmptySubsequences: false)
        return parts.enumerated().flatMap { index, part in
            if index % 2 == 0 { return part.matches(of: /`([^`]+)`/).map(\.1) }
            return part.hasPrefix("sh\n") || part.hasPrefix("console\n") ? part.split(separator: "\n") : []
        }
    }

    @Test(arguments: DocumentLinkTests.documents)
    func eachCommandHasTheOptionsThatItIsGiven(file: String) throws {
        let known = try Self.options()
        for text in try Self.code(of: file) {
            let words = text.split { $0 == " " || $0 == "\n" }
            // It is also the name of a group.
            for (word, index) in zip(words, words.indices)
            where word == "xcallback" && (index == 0 || words[index - 1] != "--groups") {
                let command = words[(index + 1)...].prefix { !Self.ends.contains($0) }
                guard let name = command.first, name.allSatisfy(\.isLowercase), name != "help" else { continue }
                guard let options = known[String(name)] else {
                    Issue.record("no command is called '\(name)': \(text)")
                    continue
                }
                for option in command.dropFirst().filter({ $0.hasPrefix("--") }) {
                    let plain = option.prefix { $0.isLetter || $0 == "-" }
                    #expect(options.contains(String(plain)), "\(name) has no \(plain): \(text)")
                }
            }
        }
    }
}
