import XCallbackTesting

/// A fenced block of a document.
package struct DocumentExample: CustomStringConvertible {
    /// A command of a console session, with its output.
    package struct Step {
        package let command: String
        package let output: String

        /// Whether the command has printed what is shown, where `…` stands for any text within a line, and a line that is
        /// only `…` for any lines.
        package func shows(_ printed: String) -> Bool {
            var parts = output.replacing("\n…\n", with: "…").split(separator: "…", omittingEmptySubsequences: false)
            let last = parts.removeLast()
            guard let first = parts.first else { return printed == last }
            guard printed.hasPrefix(first), printed.hasSuffix(last) else { return false }
            var rest = printed.dropFirst(first.count)
            for part in parts.dropFirst() {
                guard let range = rest.firstRange(of: part) else { return false }
                rest = rest[range.upperBound...]
            }
            return rest.count >= last.count
        }
    }

    /// The path of the document in the package.
    package let file: String
    /// The line number of its fence, from 1.
    package let line: Int
    package let text: String

    /// Creates the block of a document with a text.
    package init(file: String, line: Int, text: String) {
        (self.file, self.line, self.text) = (file, line, text)
    }

    package var description: String { "\(file):\(line)" }

    /// The commands after `$ `, each with the output below it.
    package var steps: [Step] {
        var steps: [Step] = []
        for line in text.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
            if line.hasPrefix("$ ") {
                steps.append(Step(command: String(line.dropFirst(2)), output: ""))
            } else if let last = steps.popLast() {
                steps.append(Step(command: last.command, output: "\(last.output)\(line)\n"))
            }
        }
        return steps
    }

    /// Returns all blocks of a language in a document, or in the README and all documents.
    package static func all(in language: String, of file: String? = nil) -> [DocumentExample] {
        let files = file.map { [$0] } ?? ["README.md"] + packageFiles(below: "Docs", endingIn: ".md")
        return files.flatMap { file in
            let blocks = (try? fencedBlocks(in: language, of: file)) ?? []
            return blocks.map { DocumentExample(file: file, line: $0.line, text: $0.text) }
        }
    }

    /// Returns the configuration for the commands of a document, which a comment marks; nil if it has none.
    package static func configurationOfCommands(in file: String) -> String? {
        let mark = "<!-- The configuration of the commands on this page. -->"
        guard let text = try? textOfPackageFile(file) else { return nil }
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard let index = lines.firstIndex(where: { $0 == mark }) else { return nil }
        // The fence is between the comment and the text.
        return all(in: "yaml", of: file).first { $0.line == index + 2 }?.text
    }
}
