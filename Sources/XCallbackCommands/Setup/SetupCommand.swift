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
            example's schemes with the desktop, and opens one of its URLs. Asks at most two questions. If a step \
            fails, nothing is changed. A second run does what is missing. '--undo' removes all of it, except what you \
            have edited or made with the example. Without a name, lists the examples.

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

    @Flag(help: "Undo the setup.")
    var undo = false

    @Flag(name: .customLong("no-try"), help: "Do not open a URL at the end.")
    var isNotTried = false

    @OptionGroup var location: SocketOption

    func validate() throws {
        if undo, name == nil { throw ValidationError("'--undo' needs the name of an example.") }
        if undo, yes || isNotTried { throw ValidationError("'--undo' cannot be combined with '--yes' or '--no-try'.") }
    }

    func run() throws {
        guard geteuid() != 0 else {
            throw Failure(
                .errorAnswer,
                "setup is for a user's daemon, and root's daemon is the system's\n"
                    + "run it as the user, without sudo; for the system, copy an example to /etc/xcallbackd/routes.d")
        }
        let folders = try UserFolders()
        guard let name else { return try list(folders) }
        let daemon = UserDaemon(socket: location.socket)
        try folders.lockHome(for: "setup")
        if undo {
            let undo = SetupUndo(name: name, folders: folders, daemon: daemon)
            let interruption = try Interruption()
            return try waitFor { try await interruption.run { try await undo.run() } }
        }
        let setup = try makeSetup(of: name, folders, daemon)
        let interruption = try Interruption()
        try waitFor { try await interruption.run { try await setup.run() } }
    }

    private func makeSetup(
        of name: String, _ folders: UserFolders, _ daemon: UserDaemon
    ) throws -> Setup {
        var example = try ExampleFolder().example(named: name)
        if example.comment.browserLine != nil {
            example = example.opening(linksIn: try Registration.browser(before: DesktopFolders().readEntry()))
        }
        guard !example.comment.isForSystem else {
            throw Failure(
                .errorAnswer,
                "\(name) is for the system's daemon, which 'setup' does not change\n"
                    + "copy it to /etc/xcallbackd/routes.d as root, and see the comment in it")
        }
        let contents: Example.Contents
        do {
            contents = try example.contents()
        } catch {
            Terminal.printError(error)
            throw ExitCode(ExitStatus.configuration.rawValue)
        }
        let record = try SetupFile(in: folders).read()
        let answers = try record[name]?.answers ?? ask(contents, opensLinks: example.comment.browserLine != nil)
        return Setup(
            example: example, contents: contents, answers: answers, folders: folders, daemon: daemon,
            triesOut: !isNotTried)
    }

    /// Asks the user for the decisions.
    private func ask(_ contents: Example.Contents, opensLinks: Bool) throws(Failure) -> SetupAnswers {
        var answers = SetupAnswers()
        // Links of the web that no link may open would be of no use.
        if !opensLinks, !contents.publicRoutes.isEmpty {
            let routes = contents.publicRoutes.joined(separator: ", ")
            let consequence = contents.asksFirst ? "you are asked each time" : "you are not asked"
            answers.isPublic = try ask("May links and web pages open \(routes)? If so, \(consequence).")
        }
        let others = contents.schemes.filter { OwnerReport.otherOwner(SchemeOwner(asking: $0)) != nil }
        if let scheme = others.first, let owner = OwnerReport.otherOwner(SchemeOwner(asking: scheme)) {
            let title = Browser(named: owner)?.title ?? owner
            answers.isDefault = try ask(
                "\(title) opens \(others.joined(separator: ", ")) URLs now. Make xcallback open them instead?")
        }
        return answers
    }

    private func ask(_ text: String) throws(Failure) -> Bool {
        if yes { return true }
        guard TerminalQuestion.canBeAsked else {
            throw Failure(
                .usage,
                "cannot ask a question without a terminal; nothing was changed\n"
                    + "the question: \(text)\nuse '--yes' to answer yes")
        }
        return try TerminalQuestion(text: text).ask()
    }

    private func list(_ folders: UserFolders) throws {
        let folder = try ExampleFolder()
        let record = try SetupFile(in: folders).read()
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
