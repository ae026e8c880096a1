import Logging
import XCallbackBuiltIns
package import XCallbackConfiguration
import XCallbackPipeline

/// An example that belongs to the command: a drop-in, and the programs that its routes run.
package struct Example: Hashable, Sendable {
    /// A program that comes with it.
    package struct Program: Hashable, Sendable {
        /// Its name, by which the routes run it.
        package let name: String
        /// What is in it.
        package let text: String

        /// Creates a program.
        package init(name: String, text: String) {
            self.name = name
            self.text = text
        }
    }

    /// What its configuration has.
    package struct Contents: Hashable, Sendable {
        /// Its schemes.
        package let schemes: [String]
        /// The names of its routes.
        package let routes: [String]
        /// The names of those that links and web pages reach.
        package let publicRoutes: [String]
        /// Whether the user is asked before each request of a public route.
        package let asksFirst: Bool
    }

    /// Its name, which is that of its file.
    package let name: String
    /// What is in its file.
    package let text: String
    /// Its programs.
    package let programs: [Program]
    /// What the comment in its file says.
    package var comment: ExampleComment { ExampleComment(text) }

    /// Creates an example.
    package init(name: String, text: String, programs: [Program]) {
        self.name = name
        self.text = text
        self.programs = programs
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

    /// The files that it needs in a user's folders.
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
