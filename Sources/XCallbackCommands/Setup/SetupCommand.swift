import ArgumentParser
import Glibc
import XCallbackAdministration
import XCallbackBuiltIns
import XCallbackClient
import XCallbackConfiguration
import XCallbackLinux
import XCallbackRouter
import XCallbackURL
import XCallbackWire

/// Sets up an example for the user, ready to use.
struct SetupCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "setup",
        abstract: "Set up an example, and try it.",
        discussion: """
            Writes the example's routes and programs to your routes.d, checks the configuration, starts the daemon with your service manager or reloads a running one, registers the \
            example's schemes with the desktop, and opens one of its URLs. Asks at most two questions. Nothing is \
            written if a program that the example needs is missing. If a step fails, everything is undone. \
            'xcallback remove NAME' removes all of it, except what you have changed or made with the example. Without \
            a name, lists the examples.

            A folder, such as ./greet, has the action of somebody else: shows what it may do, and asks. Stays off \
            unless the answer names it: public (links), agent (assistants), allow-code, http (links of web pages).

            Example: xcallback setup notes

            Exit status: 0 done, 1 failed, 3 not agreed, 7 daemon not reachable, 64 usage, 78 configuration faults.
            """
    )

    @Argument(
        help: ArgumentHelp("The example, or a folder such as ./notes. Default: lists the examples.", valueName: "name"),
        completion: .live(.example))
    var name: String?

    @Argument(
        help: ArgumentHelp(
            "The actions, if the folder has several. With '--yes': the hash, and what you allow.", valueName: "word"))
    var words: [String] = []

    @Flag(name: .shortAndLong, help: "Answer yes to all questions.")
    var yes = false

    @Flag(name: .customLong("no-try"), help: "Do not open a URL at the end.")
    var isNotTried = false

    func run() throws {
        guard let name else { return try Self.list() }
        let installation = try Installation(for: "setup")
        if name.contains("/") || name == "." {
            let paths = yes || words.isEmpty ? [name] : words.map { "\(name)/\($0)" }
            var reviews = try paths.map { try FolderReview(of: $0, in: installation.folders) }
            for index in reviews.indices { try reviews[index].agree(to: yes ? words : nil) }
            return try reviews.forEach { try Setup(of: $0, with: installation).run(tryingOut: false) }
        }
        guard words.isEmpty else { throw Failure(.usage, "more words are for a folder, such as ./\(name)") }
        guard try SetupRecord(in: installation.folders)[name] == nil else {
            return try Terminal.print("\(name) is already set up. Undo with: xcallback remove \(name)")
        }
        let example = try Self.example(named: name)
        try Setup(of: example, with: installation, isAgreed: yes).run(tryingOut: !isNotTried)
    }

    private static func list() throws {
        let folder = try ExampleFolder()
        let record = try SetupRecord(in: UserFolders())
        var rows = [["NAME", "STATE", "DESCRIPTION"]]
        let names = folder.names()
        for name in names {
            let comment = try folder.example(named: name).comment
            let state = record[name] != nil ? "set up" : comment.isForSystem ? "for root" : "-"
            rows.append([name, state, comment.summary])
        }
        for entry in record.entries where !names.contains(entry.name) {
            rows.append([entry.name, "yours", entry.source.map { "From \($0)." } ?? "Made by 'xcallback init'."])
        }
        try Terminal.print("\(TextTable(rows).text)\n\nSet one up with: xcallback setup NAME")
    }

    /// Returns an example that can be set up on this machine.
    private static func example(named name: String) throws(Failure) -> Example {
        let example = try ExampleFolder().example(named: name)
        guard !example.comment.isForSystem else {
            throw Failure(
                "\(name) is for the system's daemon, which 'setup' does not change\n"
                    + "copy it to /etc/xcallbackd/routes.d as root, and see the comment in it")
        }
        if let need = example.comment.need { throw Failure("\(name) needs \(need)\nnothing was changed") }
        if example.comment.browserLine == nil { return example }
        return example.opening(linksIn: try Registration.browser(before: DesktopFolders().readEntry()))
    }
}

/// The setup of an example for the user: its files, the daemon, the desktop, and a trial.
private struct Setup {
    private var example: Example
    private let pipeline: Pipeline
    private let installation: Installation
    /// The schemes to register.
    private let schemes: [String]
    /// Whether the command takes precedence over other applications with the schemes.
    private var isDefault = true
    /// The folder that it comes from; nil for a shipped example.
    private var review: FolderReview?

    /// Sets up a folder, which takes no scheme from another application.
    init(of review: FolderReview, with installation: Installation) throws {
        (example, schemes, self.review) = (review.example, review.schemes, review)
        self.installation = installation
        pipeline = try example.configuration(in: ".").pipeline
        isDefault = false
    }

    /// Asks the user for the decisions.
    init(of example: Example, with installation: Installation, isAgreed: Bool) throws {
        self.example = example
        self.installation = installation
        pipeline = try example.configuration(in: ".").pipeline
        schemes = pipeline.schemes.map(\.name)
        let mark = "# Written by 'xcallback setup \(example.name)'; 'xcallback remove \(example.name)' removes it."
        self.example.text = "\(mark)\n#\n\(example.text)"
        if isAgreed { return }
        let routes = pipeline.routes.filter(\.isPublic)
        // Links of the web that no link may open would be of no use.
        if example.comment.browserLine == nil, !routes.isEmpty {
            let others = routes.filter { !$0.stages.asyncPolicies.contains { $0.name == "confirm" } }.map(\.name)
            let exception = others.isEmpty ? "" : ", but not about \(others.joined(separator: ", "))"
            let isAsked = others.count < routes.count
            let consequence = isAsked ? "you are asked each time\(exception)" : "you are not asked"
            let routes = routes.map(\.name).joined(separator: ", ")
            if try !Terminal.ask("May links and web pages open \(routes)? If so, \(consequence).") {
                self.example.text = try self.example.text.switchingOff(["public"])
            }
        }
        let owners = schemes.compactMap { scheme in
            SchemeOwner(asking: scheme).otherEntry.map { (scheme, $0) }
        }
        if let owner = owners.first?.1 {
            let title = Browser(named: owner)?.title ?? owner
            let schemes = owners.map(\.0).joined(separator: ", ")
            isDefault = try Terminal.ask("\(title) opens \(schemes) URLs now. Make xcallback open them instead?")
        }
    }

    func run(tryingOut: Bool) throws {
        var entry = SetupRecord.Entry(name: example.name, files: example.files(in: installation.folders))
        (entry.source, entry.sourceHash) = (review?.folder.path, review?.folder.hash)
        entry.helperName = review == nil ? example.comment.helper : nil
        let isFirst = access(installation.folders.record, F_OK) != 0
        let registered = try DesktopFolders().readEntry()?.schemes ?? []
        let new = schemes.filter { !registered.contains($0) }.sorted()
        let old = review?.old?.schemes ?? []
        entry.schemes = old.filter(schemes.contains) + new
        let names = pipeline.routes.map(\.name)
        try installation.make(entry, replacing: review?.old, serving: names) { [self, entry] isServed in
            try register(new)
            try entry.runHelper("setup", step: "connected")
            try Task.checkCancellation()
            if isServed, tryingOut, let url = example.comment.trial {
                try await Trial(url: url, comment: example.comment, daemon: installation.daemon).run()
            }
            try finish(isServed: isServed, isFirst: isFirst)
            try installation.unregister(old.filter { !schemes.contains($0) }, replacedBy: entry)
        }
    }

    private func register(_ schemes: [String]) throws(Failure) {
        if !schemes.isEmpty, let start = try Registration().add(schemes, asDefault: isDefault) {
            Terminal.print(step: "wrote", "\(start), which starts the daemon with your session")
        }
        for scheme in schemes { Terminal.print(step: "registered", SchemeOwner(asking: scheme).title) }
    }

    private func finish(isServed: Bool, isFirst: Bool) throws(Failure) {
        if ManagerDisplay.isMissing {
            Terminal.print(
                step: "no display", "your service manager has none, so programs and questions cannot show windows")
            Terminal.print(step: "", "now: \(ManagerDisplay.command)")
            Terminal.print(step: "", "and \(ManagerDisplay.advice)")
        }
        // Nobody has read the commands in the comment of a folder.
        let next = (isServed ? [] : daemonStart) + (review == nil ? example.comment.commands.prefix(2) : [])
        let state = isServed ? "is set up" : "is set up, but no daemon runs"
        try Terminal.print("\(example.name) \(state).\(next.isEmpty ? "" : " Next:")")
        for command in next { try Terminal.print("  \(command)") }
        try Terminal.print("Undo with: xcallback remove \(example.name)")
        if isFirst { try Terminal.print("What links, assistants and commands run is kept for you: xcallback history") }
    }
}

/// An example that is installed with the command: a drop-in, and the programs of its routes.
package struct Example: Hashable, Sendable {
    /// The name, which is that of its file.
    package let name: String
    package var text: String
    /// The other files of its folder; nil if it is a single file.
    package let others: [WrittenFile]?
    package var comment: ExampleComment { ExampleComment(text) }

    package init(name: String, text: String, others: [WrittenFile]? = nil) {
        self.name = name
        self.text = text
        self.others = others
    }

    /// Creates an example from the files of a folder.
    package init(in folder: ActionFolder) throws(Failure) {
        let file = try folder.dropIn
        self.init(name: file.path.withoutSuffix, text: file.text ?? "", others: folder.files.filter { $0 != file })
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
        return Example(name: name, text: text, others: others)
    }

    func configuration(in folder: String) throws(ConfigurationError) -> RouterConfiguration {
        try RouterConfiguration(text: text, name: "\(folder)/\(name).yaml", logger: .silent)
    }

    /// Returns the files that it needs, the drop-in first.
    package func files(in folders: UserFolders) -> [WrittenFile] {
        let folder = others == nil ? folders.dropIns : "\(folders.dropIns)/\(name)"
        return [WrittenFile(path: "\(folder)/\(name).yaml", bytes: Array(text.utf8))]
            + (others ?? []).map {
                WrittenFile(path: "\(folder)/\($0.path)", bytes: $0.bytes, isProgram: $0.isProgram)
            }
    }
}

/// The comment at the top of an example, for people and `xcallback setup`.
///
/// A line `# setup: WORD VALUE` is for the command: `try URL` tests the example, `show URL` succeeds once the test has had its
/// effect, `keeps PATH` is the location of the example's data, `browser LINE` is the line that opens a link in the user's
/// present browser, `system` marks an example for the system's daemon, `manager` one that needs the user's service manager,
/// `helper PROGRAM` names a program of the example that connects it with other applications (`PROGRAM setup`), disconnects
/// it (`PROGRAM remove`), and checks that (`PROGRAM doctor`), and `needs` has a program, with its package if that has another
/// name, and `wayland` or `x11` if only such a session needs it, or a scheme, with the address of its application.
package struct ExampleComment: Hashable, Sendable {
    private let lines: [Substring]

    package init(_ text: String) {
        lines = text.split(separator: "\n", omittingEmptySubsequences: false).prefix { $0.hasPrefix("#") }
            .map { $0.dropFirst() }
    }

    package var summary: String {
        let text = lines.prefix { !$0.allSatisfy { $0 == " " } }.joined(separator: "").drop { $0 == " " }
        return String(text).firstSentence
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
    /// The program that connects the example with other applications; nil if none.
    package var helper: String? { values("helper").first }
    /// Whether the example is for the system's daemon.
    package var isForSystem: Bool { !values("system").isEmpty }

    func values(_ word: String) -> [String] {
        let start = " setup: \(word)"
        return lines.filter { $0 == start || $0.hasPrefix("\(start) ") }
            .map { String($0.dropFirst(start.count).drop { $0 == " " }) }
    }

    var hasData: Bool {
        guard let data else { return false }
        return access(data.hasPrefix("~/") ? (variable("HOME") ?? "") + data.dropFirst() : data, F_OK) == 0
    }

    /// What is missing in the session that runs its programs, with how to install it; nil if nothing is.
    var need: String? {
        if !values("manager").isEmpty, !ManagerScope.user.isRunning { return "a running systemd user manager" }
        let session = variable("WAYLAND_DISPLAY") == nil ? "x11" : "wayland"
        let variables = ManagerDisplay.variables
        let path = variables?.first { $0.hasPrefix("PATH=") }.map { String($0.dropFirst("PATH=".count)) }
        for words in values("needs").map({ $0.split(separator: " ").map(String.init) })
        where words.count < 3 || words[2] == session {
            guard let name = words.first, let source = words.prefix(2).last else { continue }
            let help =
                source.contains(":") ? "install it from \(source)" : installCommand(source) ?? installAdvice(source)
            if name == "zenity", !Menu.hasDisplay, variables.map(ManagerDisplay.isNamed) != true {
                return "a desktop, on which it asks you: this session has no display"
            } else if name.hasSuffix(":") {
                let isMissing = SchemeOwner(asking: String(name.dropLast())).hasNoHandler
                if isMissing { return "an application that opens \(name.dropLast()) URLs: \(help)" }
            } else if !ToolRun.isInstalled(name) {
                return "\(name): \(help)"
            } else if !ToolRun.isInstalled(name, in: path) {
                return "\(name) in the PATH of your service manager, which starts it: see environment.d(5)"
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
            throw Failure("the examples are missing: no folder '\(installed)'\nreinstall xcallbackd")
        }
        self.path = path
    }

    func names() -> [String] {
        visibleEntries(of: path).map(\.withoutSuffix).filter { file(of: $0) != nil }
    }

    func example(named name: String) throws(Failure) -> Example {
        guard let file = file(of: name), let text = try UserFile(path: file).read() else {
            let names = names().joined(separator: ", ")
            let text = "no example is called '\(name.withVisibleControls)': there are \(names)"
            throw Failure(.usage, "\(text)\nname a folder with a slash, such as ./greet")
        }
        return file.parent == path
            ? Example(name: name, text: text) : try Example(in: ActionFolder(file.parent, isInstalled: true))
    }

    /// Returns the file of an example, which is in the folder, or with its programs in a subfolder.
    private func file(of name: String) -> String? {
        guard !name.hasPrefix("."), name.hasOnlyAlphanumerics(and: "._-") else { return nil }
        return ["\(path)/\(name).yaml", "\(path)/\(name)/\(name).yaml"].first { access($0, R_OK) == 0 }
    }
}

/// A test that opens a URL of an example once, and prints the outcome.
struct Trial: Sendable {
    let url: String
    let comment: ExampleComment
    let daemon: Client

    /// Opens the URL and waits for the answer.
    func run() async throws {
        // A failed attempt would leave an error in the daemon's log.
        if comment.hasData, let effect = comment.effect, case .success = try await daemon.open(effect).response {
            return Terminal.print(step: "not tried", "\(url): its result already exists")
        }
        let name = String(url.prefix { $0 != "?" })
        if try await daemon.routes(beginningWith: name).contains(where: { $0.policies.contains("confirm") }) {
            Terminal.print(step: "trying", "\(url): if a question opens, any answer will do")
        }
        switch try await daemon.open(url).response {
        case .success, .redirect:
            Terminal.print(step: "opened", url)
            try await printEffect()
        case .cancel: Terminal.print(step: "declined", "\(url): you answered no")
        case .error(let error):
            let text = "\(url) failed: \(error.message.withVisibleControls) (\(error.code.rawValue))"
            throw Failure("\(text)\nsee 'xcallback log'")
        }
    }

    private func printEffect() async throws {
        guard let effect = comment.effect, case .success(let items) = try await daemon.open(effect).response else {
            return
        }
        Terminal.print(step: "result", "'xcallback open \(effect.shellWord)' prints:")
        for item in items {
            for line in item.text.withIndentedLines.split(separator: "\n") {
                Terminal.print(step: "", String(line))
            }
        }
    }
}

extension String {
    /// The first sentence, on one line.
    var firstSentence: String {
        let text = split(whereSeparator: \.isNewline).joined(separator: " ")
        let end = text.indices.first { text[$0] == "." && text[$0...].dropFirst().first ?? " " == " " }
        return String(end.map { text[...$0] } ?? text[...])
    }
}
