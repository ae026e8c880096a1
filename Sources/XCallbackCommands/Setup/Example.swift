import Glibc
import Logging
import XCallbackBuiltIns
import XCallbackClient
package import XCallbackConfiguration
import XCallbackLinux
package import XCallbackPipeline
import XCallbackWire

/// An example that is installed with the command: a drop-in, and the programs of its routes.
package struct Example: Hashable, Sendable {
    /// The name, which is that of its file.
    package let name: String
    package let text: String
    /// The texts of its programs, by the names with which routes run them.
    package let programs: [String: String]
    package var comment: ExampleComment { ExampleComment(text) }

    package init(name: String, text: String, programs: [String: String]) {
        self.name = name
        self.text = text
        self.programs = programs
    }

    /// Returns the example with the user's present browser for links that no other rule opens.
    package func opening(linksIn browser: Browser) -> Example {
        guard let line = comment.browserLine else { return self }
        let words = browser.command(opening: "{@url}").map { word in
            // Braces in templates are escaped by doubling.
            let text = word.replacing(each: "{", with: "{{").replacing(each: "}", with: "}}")
            let template = text.replacing(each: "{{@url}}", with: "{@url}")
            return template.hasOnlyAlphanumerics(and: "/._-+") ? template : JSONValue.string(template).description
        }
        let text = text.replacing(each: line, with: "exec: [\(words.joined(separator: ", "))]")
        return Example(name: name, text: text, programs: programs)
    }

    package func pipeline() throws(ConfigurationError) -> Pipeline {
        let logger = Logger(label: "xcallback") { _ in SwiftLogNoOpLogHandler() }
        return try RouterConfiguration(text: text, name: "\(name).yaml", logger: logger).pipeline
    }

    /// Returns the files that it needs: the drop-in, then the programs.
    package func files(in folders: UserFolders, isPublic: Bool) -> [WrittenFile] {
        var dropIn = text
        if !isPublic {
            let reason = "links and web pages may not open it"
            dropIn = dropIn.replacing(each: "public: true\n", with: "public: false  # \(reason)\n")
                .replacing(each: "public: true", with: "public: false")
        }
        let programs = programs.sorted { $0.key < $1.key }.map { program, text in
            let path = folders.program(program, of: name)
            let word = path.hasOnlyAlphanumerics(and: "/._-+") ? path : path.quotedTemplate
            for end in [",", "]"] {
                dropIn = dropIn.replacing(each: "exec: [\(program)\(end)", with: "exec: [\(word)\(end)")
            }
            return WrittenFile(path: path, text: text)
        }
        let mark = "# Written by 'xcallback setup \(name)'; 'xcallback remove \(name)' removes it."
        return [WrittenFile(path: folders.dropIn(name), text: "\(mark)\n#\n\(dropIn)")] + programs
    }
}

extension String {
    /// The text as a template in double quotes, without placeholders.
    var quotedTemplate: String {
        JSONValue.string(replacing(each: "{", with: "{{").replacing(each: "}", with: "}}")).description
    }
}

/// The comment at the top of an example, for people and `xcallback setup`.
///
/// A line `# setup: WORD VALUE` is for the command: `try URL` tests the example, `show URL` succeeds once the test has had its
/// effect, `keeps PATH` is the location of the example's data, `browser LINE` is the line that opens a link in the user's
/// present browser, `system` marks an example for the system's daemon, and `needs` has a program, with its package if that has
/// another name, or a scheme, with the address of its application.
package struct ExampleComment: Hashable, Sendable {
    private let lines: [Substring]

    package init(_ text: String) {
        lines = text.split(separator: "\n", omittingEmptySubsequences: false).prefix { $0.hasPrefix("#") }
            .map { $0.dropFirst() }
    }

    package var summary: String {
        let text = lines.prefix { !$0.allSatisfy { $0 == " " } }.joined(separator: "").drop { $0 == " " }
        let sentence = text.indices.first { text[$0] == "." && text[$0...].dropFirst().first ?? " " == " " }
        return String(sentence.map { text[...$0] } ?? text)
    }

    package var commands: [String] {
        lines.filter { $0.hasPrefix("   xcallback ") }.map { String($0.drop { $0 == " " }) }
    }

    /// The URL that tests the example; nil if none.
    package var trial: String? { values("try").first }
    /// The URL that succeeds once the test has had its effect; nil if none.
    package var effect: String? { values("show").first }
    /// The location of the example's data; nil if it has none.
    package var data: String? { values("keeps").first }
    /// The line that opens a link in the user's present browser; nil if the example is not for links of the web.
    package var browserLine: String? { values("browser").first }
    /// Whether the example is for the system's daemon.
    package var isForSystem: Bool { !values("system").isEmpty }

    private func values(_ word: String) -> [String] {
        let start = " setup: \(word)"
        return lines.filter { $0 == start || $0.hasPrefix("\(start) ") }
            .map { String($0.dropFirst(start.count).drop { $0 == " " }) }
    }

    var hasData: Bool {
        guard let data else { return false }
        return access(data.hasPrefix("~/") ? (variable("HOME") ?? "") + data.dropFirst() : data, F_OK) == 0
    }

    /// What is missing on this machine, with how to install it; nil if nothing is.
    var need: String? {
        for words in values("needs").map({ $0.split(separator: " ").map(String.init) }) {
            guard let name = words.first, let source = words.last else { continue }
            if let scheme = name.hasSuffix(":") ? String(name.dropLast()) : nil {
                let isMissing = SchemeOwner(asking: scheme).hasNoHandler
                if isMissing { return "an application that opens \(scheme) URLs: install it from \(source)" }
            } else if !ToolRun.isInstalled(name) {
                return "\(name): \(installCommand(source) ?? installAdvice(source))"
            }
        }
        return nil
    }
}

/// The folder of the examples that are installed with the command.
struct ExampleFolder {
    private let path: String

    /// Finds the folder of the running command, in its installation or in the source tree where it was built.
    init() throws(Failure) {
        let parts = (ownPath ?? "").split(separator: "/", omittingEmptySubsequences: false)
        let installed = parts.dropLast(2).joined(separator: "/") + "/share/xcallbackd/examples"
        let source = parts.firstIndex(of: ".build").map { parts[..<$0].joined(separator: "/") + "/config/examples" }
        guard let path = [source, installed].compactMap(\.self).first(where: { access($0, R_OK | X_OK) == 0 }) else {
            throw Failure(.errorAnswer, "the examples are missing: no folder '\(installed)'\nreinstall xcallbackd")
        }
        self.path = path
    }

    func names() -> [String] {
        visibleEntries(of: path).map { $0.hasSuffix(".yaml") ? String($0.dropLast(".yaml".count)) : $0 }
            .filter { file(of: $0) != nil }
    }

    func example(named name: String) throws(Failure) -> Example {
        guard let file = file(of: name), let text = try UserFile(path: file).read() else {
            let names = names().joined(separator: ", ")
            throw Failure(.usage, "no example is called '\(name.withVisibleControls)': there are \(names)")
        }
        let folder = file.parent
        var programs: [String: String] = [:]
        for entry in folder == path ? [] : visibleEntries(of: folder) where ToolRun.isExecutable("\(folder)/\(entry)") {
            programs[entry] = try UserFile(path: "\(folder)/\(entry)").read()
        }
        return Example(name: name, text: text, programs: programs)
    }

    /// Returns the file of an example, which is in the folder, or with its programs in a subfolder.
    private func file(of name: String) -> String? {
        guard !name.hasPrefix("."), name.hasOnlyAlphanumerics(and: "._-") else { return nil }
        return ["\(path)/\(name).yaml", "\(path)/\(name)/\(name).yaml"].first { access($0, R_OK) == 0 }
    }
}
