import ArgumentParser
import Glibc
import XCallbackClient
import XCallbackLinux

/// Sets up an example for the user, ready to use.
struct SetupCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "setup",
        abstract: "Set up an example, and try it.",
        discussion: """
            Writes the example's routes to your routes.d and its programs to a folder of your data, checks the \
            configuration, starts the daemon with your service manager or reloads a running one, registers the \
            example's schemes with the desktop, and opens one of its URLs. Asks at most two questions. Nothing is \
            written if a program that the example needs is missing. If a step fails, everything is undone. A second \
            run does what is missing. 'xcallback remove NAME' removes all of it, except what you have changed or made \
            with the example. Without a name, lists the examples.

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

    @Flag(help: "Undo the setup, like 'xcallback remove NAME'.")
    var undo = false

    @Flag(name: .customLong("no-try"), help: "Do not open a URL at the end.")
    var isNotTried = false

    @OptionGroup var location: SocketOption

    func validate() throws {
        if undo, name == nil { throw ValidationError("'--undo' needs the name of an example.") }
        if undo, yes || isNotTried { throw ValidationError("'--undo' cannot be combined with '--yes' or '--no-try'.") }
    }

    func run() throws {
        guard let name else { return try list() }
        if undo { return try RemoveCommand.remove(name, with: "setup", at: location) }
        let installation = try Installation(for: "setup", socket: location.socket)
        try Setup(of: name, installation, isAgreed: yes).run(tryingOut: !isNotTried)
    }

    private func list() throws {
        let folder = try ExampleFolder()
        let record = try SetupRecord(in: UserFolders())
        var rows = [["NAME", "STATE", "DESCRIPTION"]]
        for name in try folder.names() {
            let comment = try folder.example(named: name).comment
            let state = record[name] != nil ? "set up" : comment.isForSystem ? "for root" : "-"
            rows.append([name, state, comment.summary])
        }
        try Terminal.print(TextTable(rows).text)
        try Terminal.print("\nSet one up with: xcallback setup NAME")
    }
}

/// The setup of an example for the user: its files, the daemon, the desktop, and a trial.
private struct Setup {
    private let example: Example
    private let contents: Example.Contents
    private let installation: Installation
    /// The entry before, with the user's answers; nil if the example is not set up.
    private let old: SetupRecord.Entry?
    private let answers: SetupRecord.Entry

    /// Checks what an example needs, and asks the user for the decisions.
    init(of name: String, _ installation: Installation, isAgreed: Bool) throws {
        var example = try ExampleFolder().example(named: name)
        if example.comment.browserLine != nil {
            example = example.opening(linksIn: try Registration.browser(before: DesktopFolders().readEntry()))
        }
        self.example = example
        self.installation = installation
        guard !example.comment.isForSystem else {
            throw Failure(
                .errorAnswer,
                "\(name) is for the system's daemon, which 'setup' does not change\n"
                    + "copy it to /etc/xcallbackd/routes.d as root, and see the comment in it")
        }
        if let need = example.comment.need { throw Failure(.errorAnswer, "\(name) needs \(need)\nnothing was changed") }
        do {
            contents = try example.contents()
        } catch {
            Terminal.printError(error)
            throw ExitCode(ExitStatus.configuration.rawValue)
        }
        old = try SetupRecord(in: installation.folders)[name]
        answers = try old ?? Self.answers(for: contents, of: example, isAgreed)
    }

    private static func answers(
        for contents: Example.Contents, of example: Example, _ isAgreed: Bool
    ) throws(Failure) -> SetupRecord.Entry {
        var entry = SetupRecord.Entry(name: example.name, files: [])
        if isAgreed { return entry }
        // Links of the web that no link may open would be of no use.
        if example.comment.browserLine == nil, !contents.publicRoutes.isEmpty {
            let routes = contents.publicRoutes.joined(separator: ", ")
            let consequence = contents.asksFirst ? "you are asked each time" : "you are not asked"
            entry.isPublic = try ask("May links and web pages open \(routes)? If so, \(consequence).")
        }
        let others = contents.schemes.filter { OwnerReport.otherOwner(SchemeOwner(asking: $0)) != nil }
        if let scheme = others.first, let owner = OwnerReport.otherOwner(SchemeOwner(asking: scheme)) {
            let title = Browser(named: owner)?.title ?? owner
            entry.isDefault = try ask(
                "\(title) opens \(others.joined(separator: ", ")) URLs now. Make xcallback open them instead?")
        }
        return entry
    }

    private static func ask(_ text: String) throws(Failure) -> Bool {
        guard TerminalQuestion.canBeAsked else {
            throw Failure(
                .usage,
                "cannot ask a question without a terminal; nothing was changed\n"
                    + "the question: \(text)\nuse '--yes' to answer yes")
        }
        return try TerminalQuestion(text: text).ask()
    }

    /// Sets the example up; a second run only adds missing parts.
    func run(tryingOut: Bool) throws {
        var entry = answers
        let (missing, changed) = try plan(&entry)
        let registered = try DesktopFolders().readEntry()?.schemes ?? []
        let schemes = contents.schemes.filter { !registered.contains($0) }
        entry.schemes = Set(entry.schemes + schemes).sorted()
        try installation.make(entry) { [self, entry] in
            for file in changed { try printStep("kept", "\(file.path): you have changed it") }
            let isServed = try await installation.serve(writing: missing)
            // The user may have changed the routes.
            if isServed, changed.allSatisfy(\.isProgram) {
                try await installation.daemon.check(routes: contents.routes)
            }
            try register(schemes)
            try Task.checkCancellation()
            if isServed, !entry.isTried {
                if tryingOut, let url = example.comment.trial {
                    try await Trial(url: url, comment: example.comment, daemon: installation.daemon.client).run()
                }
                try installation.change { $0[entry.name]?.isTried = true }
            }
            guard entry.isTried else { return try finish(isServed: isServed) }
            let isRepaired = !missing.isEmpty || !schemes.isEmpty
            try Terminal.print("\(example.name) is already set up\(isRepaired ? "; missing parts were restored" : "").")
        }
    }

    /// Determines the files to write, and those that the user has changed, and enters the files of the example.
    private func plan(
        _ entry: inout SetupRecord.Entry
    ) throws(Failure) -> (missing: [WrittenFile], changed: [WrittenFile]) {
        var missing = installation.missingSettings.map { [$0] } ?? []
        var changed: [WrittenFile] = []
        entry.files = []
        for file in example.files(in: installation.folders, isPublic: entry.isPublic) {
            let before = old?.files.first { $0.path == file.path }
            switch try file.state() {
            case .written: entry.files.append(file)
            case .other where before == nil:
                throw Failure(
                    .errorAnswer,
                    "'\(file.path)' already exists and was not written by 'xcallback setup'; nothing was changed\n"
                        + "move it away first")
            case .other where try before?.state() == .other:
                entry.files.append(before ?? file)
                changed.append(file)
            case .missing, .notExecutable, .other:
                entry.files.append(file)
                missing.append(file)
            }
        }
        return (missing, changed)
    }

    private func register(_ schemes: [String]) throws(Failure) {
        if !schemes.isEmpty, let start = try Registration().add(schemes, asDefault: answers.isDefault) {
            try printStep("wrote", "\(start), which starts the daemon with your session")
        }
        if example.comment.browserLine != nil, let browser = try DesktopFolders().readEntry()?.browser {
            let title = Browser(named: browser)?.title ?? browser
            try printStep("remembered", "\(title), which opens links that no rule opens")
        }
        for scheme in schemes { try printStep("registered", OwnerReport.title(SchemeOwner(asking: scheme))) }
    }

    private func finish(isServed: Bool) throws(Failure) {
        if ManagerDisplay.isMissing {
            try printStep("no display", "your service manager has none, so programs and questions cannot show windows")
            try printStep("", "now: \(ManagerDisplay.command)")
            try printStep("", "and \(ManagerDisplay.advice)")
        }
        let next = isServed ? example.comment.commands.prefix(2) : ["xcallbackd &", "xcallback setup \(example.name)"]
        let state = isServed ? "is set up" : "is set up, but no daemon runs"
        try Terminal.print("\(example.name) \(state).\(next.isEmpty ? "" : " Next:")")
        for command in next { try Terminal.print("  \(command)") }
        try Terminal.print("Undo with: xcallback remove \(example.name)")
    }
}
