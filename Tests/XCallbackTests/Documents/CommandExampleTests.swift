import Testing
import XCallbackTesting

/// The commands that the documents show or name: each exists, and has the options that it is given.
struct CommandExampleTests {
    private static let optionsPage = "Docs/Reference/Options.md"
    /// What ends the words of a command in a shell.
    private static let ends: Set<Substring> = ["|", "||", "&", "&&", ";", "#", "--", "--menu"]

    /// The options of each command, as the generated page has them: a row has a command, or one of its options.
    ///
    /// The first table has options that several commands share: a row has the option, and the commands if these are few.
    private static func options() throws -> [String: Set<String>] {
        var options: [String: Set<String>] = [:]
        var shared: [(options: [String], commands: [String])] = []
        var command = ""
        for row in try textOfPackageFile(optionsPage).split(separator: "\n") where row.hasPrefix("| ") {
            let cells = row.dropFirst(2).split(separator: "|", maxSplits: 2, omittingEmptySubsequences: false)
            let names = cells[0].matches(of: /[` ](--?[a-z-]+)/).map { String($0.1) }
            if !names.isEmpty {
                shared.append((names, cells[1].matches(of: /`([a-z]+)`/).map { String($0.1) }))
            } else if let name = cells[0].wholeMatch(of: /`([a-z]+)`\s/) {
                command = String(name.1)
                options[command] = []
            } else {
                options[command, default: []].formUnion(cells[1].matches(of: /[` ](--?[a-z-]+)/).map { String($0.1) })
            }
        }
        for row in shared {
            for name in row.commands.isEmpty ? Array(options.keys) : row.commands {
                options[name, default: []].formUnion(row.options)
            }
        }
        options[""] = nil
        return options
    }

    /// The texts of a document that can hold commands: code within lines, and blocks for a shell.
    private static func code(of file: String) throws -> [Substring] {
        let parts = try textOfPackageFile(file).split(separator: "\n```", omittingEmptySubsequences: false)
        return parts.enumerated().flatMap { index, part in
            if index % 2 == 0 { return part.matches(of: /`([^`]+)`/).map(\.1) }
            return part.hasPrefix("sh\n") || part.hasPrefix("console\n") ? part.split(separator: "\n") : []
        }
    }

    @Test(arguments: DocumentLinkTests.documents.filter { $0 != optionsPage })
    func eachCommandHasTheOptionsThatItIsGiven(file: String) throws {
        let known = try Self.options()
        for text in try Self.code(of: file) {
            let words = text.split { $0 == " " || $0 == "\n" }
            for (word, index) in zip(words, words.indices) where word == "xcallback" {
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

    @Test func thePageHasCommandsAndOptions() throws {
        let options = try Self.options()
        #expect(options.count > 20)
        #expect(options["open"]?.isSuperset(of: ["--param", "--stdin", "--json", "--socket"]) == true)
    }
}
