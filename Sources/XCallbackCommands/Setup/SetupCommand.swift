import ArgumentParser
import XCallbackClient
import XCallbackConfiguration
import XCallbackLinux
import XCallbackPipeline

/// Sets up an example for the user, ready to use.
struct SetupCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "setup",
        abstract: "Set up an example, and try it.",
        discussion: """
            Writes the example's routes to your routes.d and its programs to a folder of your data, checks the \
            configuration, starts the daemon with your service manager or reloads a running one, registers the \
            example's schemes with the desktop, and opens one of its URLs. Asks at most two questions. Nothing is \
            written if a program that the example needs is missing. If a step fails, everything is undone. \
            'xcallback remove NAME' removes all of it, except what you have changed or made with the example. Without \
            a name, lists the examples.

            Example: xcallback setup notes

            Exit status: 0 done, 1 failed, 7 daemon not reachable, 64 usage, 78 configuration faults.
            """
    )

    @Argument(
        help: ArgumentHelp("The example. Without it, all examples are listed.", valueName: "name"),
        completion: .live(.example))
    var name: String?

    @Flag(name: .shortAndLong, help: "Answer yes to all questions.")
    var yes = false

    @Flag(name: .customLong("no-try"), help: "Do not open a URL at the end.")
    var isNotTried = false

    func run() throws {
        guard let name else { return try Self.list() }
        let installation = try Installation(for: "setup")
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
        for name in folder.names() {
            let comment = try folder.example(named: name).comment
            let state = record[name] != nil ? "set up" : comment.isForSystem ? "for root" : "-"
            rows.append([name, state, comment.summary])
        }
        try Terminal.print("\(TextTable(rows).text)\n\nSet one up with: xcallback setup NAME")
    }

    /// Returns an example that can be set up on this machine.
    private static func example(named name: String) throws(Failure) -> Example {
        let example = try ExampleFolder().example(named: name)
        guard !example.comment.isForSystem else {
            throw Failure(
                .errorAnswer,
                "\(name) is for the system's daemon, which 'setup' does not change\n"
                    + "copy it to /etc/xcallbackd/routes.d as root, and see the comment in it")
        }
        if let need = example.comment.need { throw Failure(.errorAnswer, "\(name) needs \(need)\nnothing was changed") }
        if example.comment.browserLine == nil { return example }
        return example.opening(linksIn: try Registration.browser(before: DesktopFolders().readEntry()))
    }
}

/// The setup of an example for the user: its files, the daemon, the desktop, and a trial.
private struct Setup {
    private let example: Example
    private let pipeline: Pipeline
    private let installation: Installation
    /// Whether links and web pages may reach the public routes.
    private var isPublic = true
    /// Whether the command takes precedence over other applications with the schemes.
    private var isDefault = true

    /// Asks the user for the decisions.
    init(of example: Example, with installation: Installation, isAgreed: Bool) throws {
        self.example = example
        self.installation = installation
        pipeline = try example.pipeline()
        if isAgreed { return }
        let routes = pipeline.routes.filter(\.isPublic)
        // Links of the web that no link may open would be of no use.
        if example.comment.browserLine == nil, !routes.isEmpty {
            let asksFirst = routes.allSatisfy { $0.stages.asyncPolicies.contains { $0.name == "confirm" } }
            let consequence = asksFirst ? "you are asked each time" : "you are not asked"
            let routes = routes.map(\.name).joined(separator: ", ")
            isPublic = try Terminal.ask("May links and web pages open \(routes)? If so, \(consequence).")
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

    private var schemes: [String] { pipeline.schemes.map(\.name) }

    func run(tryingOut: Bool) throws {
        var entry = SetupRecord.Entry(
            name: example.name, files: example.files(in: installation.folders, isPublic: isPublic))
        let registered = try DesktopFolders().readEntry()?.schemes ?? []
        entry.schemes = schemes.filter { !registered.contains($0) }.sorted()
        try installation.make(entry, serving: pipeline.routes.map(\.name)) { [self, entry] isServed in
            try register(entry.schemes)
            try Task.checkCancellation()
            if isServed, tryingOut, let url = example.comment.trial {
                try await Trial(url: url, comment: example.comment, daemon: installation.daemon).run()
            }
            try finish(isServed: isServed)
        }
    }

    private func register(_ schemes: [String]) throws(Failure) {
        if !schemes.isEmpty, let start = try Registration().add(schemes, asDefault: isDefault) {
            try Terminal.print(step: "wrote", "\(start), which starts the daemon with your session")
        }
        for scheme in schemes { try Terminal.print(step: "registered", SchemeOwner(asking: scheme).title) }
    }

    private func finish(isServed: Bool) throws(Failure) {
        if ManagerDisplay.isMissing {
            try Terminal.print(
                step: "no display", "your service manager has none, so programs and questions cannot show windows")
            try Terminal.print(step: "", "now: \(ManagerDisplay.command)")
            try Terminal.print(step: "", "and \(ManagerDisplay.advice)")
        }
        let next = (isServed ? [] : ["xcallbackd &"]) + example.comment.commands.prefix(2)
        let state = isServed ? "is set up" : "is set up, but no daemon runs"
        try Terminal.print("\(example.name) \(state).\(next.isEmpty ? "" : " Next:")")
        for command in next { try Terminal.print("  \(command)") }
        try Terminal.print("Undo with: xcallback remove \(example.name)")
    }
}
