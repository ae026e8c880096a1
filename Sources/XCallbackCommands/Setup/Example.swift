import Logging
import XCallbackBuiltIns
import XCallbackBytes
package import XCallbackConfiguration
import XCallbackLinux
import XCallbackPipeline
import XCallbackWire

/// An example that is installed with the command: a drop-in, and the programs of its routes.
package struct Example: Hashable, Sendable {
    /// A program of the example.
    package struct Program: Hashable, Sendable {
        /// The name by which routes run it.
        package let name: String
        /// Its text.
        package let text: String

        /// Creates a program.
        package init(name: String, text: String) {
            self.name = name
            self.text = text
        }
    }

    /// The contents of its configuration.
    package struct Contents: Hashable, Sendable {
        /// The schemes.
        package let schemes: [String]
        /// The names of the routes.
        package let routes: [String]
        /// The names of the routes that links and web pages reach.
        package let publicRoutes: [String]
        /// Whether the user is asked before each request of a public route.
        package let asksFirst: Bool
    }

    /// The name, which is that of its file.
    package let name: String
    /// The text of its file.
    package let text: String
    /// The programs.
    package let programs: [Program]
    /// The comment of its file.
    package var comment: ExampleComment { ExampleComment(text) }

    /// Creates an example.
    package init(name: String, text: String, programs: [Program]) {
        self.name = name
        self.text = text
        self.programs = programs
    }

    /// Returns the example with the user's present browser for links that no other rule opens.
    package func opening(linksIn browser: Browser) -> Example {
        guard let line = comment.browserLine else { return self }
        // A character that no command contains.
        let link = "\u{1}"
        let words = browser.command(opening: link).map { word in
            // Braces in templates are escaped by doubling.
            let text = word.replacing(each: "{", with: "{{").replacing(each: "}", with: "}}")
            let template = text.replacing(each: link, with: "{@url}")
            return template.hasOnlyAlphanumerics(and: "/._-+") ? template : JSONValue.string(template).description
        }
        let text = text.replacing(each: line, with: "exec: [\(words.joined(separator: ", "))]")
        return Example(name: name, text: text, programs: programs)
    }

    /// Decodes its configuration.
    ///
    /// - Throws: ``ConfigurationError`` with all faults.
    package func contents() throws(ConfigurationError) -> Contents {
        let logger = Logger(label: "xcallback") { _ in SwiftLogNoOpLogHandler() }
        let pipeline = try RouterConfiguration(text: text, name: "\(name).yaml", logger: logger).pipeline
        let publicRoutes = pipeline.routes.filter(\.isPublic)
        return Contents(
            schemes: pipeline.schemes.map(\.name), routes: pipeline.routes.map(\.name),
            publicRoutes: publicRoutes.map(\.name),
            asksFirst: publicRoutes.allSatisfy(\.asksFirst))
    }

    /// Returns the files that it needs in a user's folders.
    ///
    /// - Parameters:
    ///   - folders: The folders.
    ///   - isPublic: Whether its public routes stay public.
    /// - Returns: The drop-in, then the programs.
    package func files(in folders: UserFolders, isPublic: Bool) -> [WrittenFile] {
        var dropIn = DropInText(text)
        let programs = programs.map { program in
            WrittenFile(path: folders.program(program.name, of: name), text: program.text, isProgram: true)
        }
        for (program, file) in zip(self.programs, programs) { dropIn.replaceProgram(program.name, with: file.path) }
        if !isPublic { dropIn.makePrivate(because: "links and web pages may not open it") }
        let mark = "# Written by 'xcallback setup \(name)'; 'xcallback setup --undo \(name)' removes it."
        let text = "\(mark)\n#\n\(dropIn.text)"
        return [WrittenFile(path: folders.dropIn(name), text: text, isProgram: false)] + programs
    }
}

extension Route {
    /// Whether the user is asked before a request is handled.
    fileprivate var asksFirst: Bool { stages.asyncPolicies.contains { $0.name == "confirm" } }
}
