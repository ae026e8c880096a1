import ArgumentParser
import Glibc
import XCallbackClient
import XCallbackConfiguration
import XCallbackLinux
import XCallbackURL
import XCallbackWire

/// Writes a user's first action.
struct InitCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init",
        abstract: "Write an action of your own.",
        discussion: """
            Asks for the URL of the action, its title and its parameters, unless the command line has them. Writes a \
            drop-in to your routes.d and a program to a folder of your data, both yours to change, and reloads the \
            daemon. Overwrites no file. If a step fails, everything is undone. 'xcallback edit URL' changes the \
            action, and 'xcallback remove URL' removes it.

            Example: xcallback init notes:/add --title 'Add a note' --param text

            Exit status: 0 done, 1 failed, 7 daemon not reachable, 64 usage, 78 configuration faults.
            """
    )

    @Argument(help: ArgumentHelp("The action's URL, such as notes:/add.", valueName: "url"))
    var url: String?

    @Option(help: "A short title for menus.")
    var title: String?

    @Option(
        name: .customLong("param"),
        help: ArgumentHelp("A parameter, such as 'text' or 'count:int'. Can be repeated.", valueName: "name:type"))
    var parameters: [String] = []

    @Option(help: "The language of the program: sh or python.")
    var language = FirstAction.Language.sh

    @Flag(help: "Remove the action, like 'xcallback remove URL'.")
    var undo = false

    @OptionGroup var location: SocketOption

    func validate() throws {
        if undo, url == nil { throw ValidationError("'--undo' needs the URL of the action.") }
    }

    func run() throws {
        if undo, let url { return try RemoveCommand.remove(url, with: "init", at: location) }
        let installation = try Installation(for: "init", socket: location.socket)
        let action = try self.action()
        let folders = installation.folders
        let name = try Self.name(of: action, in: folders)
        let program = folders.program(name, of: name)
        let files = [
            WrittenFile(path: folders.dropIn(name), text: action.dropIn(running: program), isProgram: false),
            WrittenFile(path: program, text: action.program, isProgram: true),
        ]
        for file in files where try file.state() != .missing {
            throw Failure(.errorAnswer, "'\(file.path)' already exists; nothing was written\nchoose another URL")
        }
        let settings = installation.missingSettings.map { [$0] } ?? []
        try installation.make(SetupRecord.Entry(name: name, files: files)) {
            let isServed = try await installation.serve(writing: settings + files.reversed())
            if isServed { try await installation.daemon.check(routes: [action.url]) }
            try Self.finish(action, program, isServed: isServed)
        }
    }

    /// The name of the action, with a number appended while files of other actions have that name: `a:/b-c`, `a:/b/c`.
    private static func name(of action: FirstAction, in folders: UserFolders) throws(Failure) -> String {
        var (name, number) = (action.name, 1)
        while let text = try UserFile(path: folders.dropIn(name)).read(), !text.contains(text: "route: \(action.url)\n")
        {
            number += 1
            name = "\(action.name)-\(number)"
        }
        return name
    }

    private static func finish(_ action: FirstAction, _ program: String, isServed: Bool) throws(Failure) {
        let editor = variable("VISUAL") ?? variable("EDITOR") ?? "nano"
        let next = [
            [action.example, "runs it"], ["\(editor) \(program.shellWord)", "changes what it does"],
            ["xcallback edit \(action.url)", "changes its description and its parameters"],
            ["xcallback register \(action.scheme)", "lets the desktop open its URLs"],
            ["xcallback remove \(action.url)", "removes it"],
        ]
        let rows = (isServed ? [] : [["xcallbackd &", "starts the daemon"]]) + next
        try Terminal.print("\(action.url) is ready. Next:")
        try Terminal.print(TextTable(rows.map { ["  \($0[0])", "# \($0[1])"] }).text)
    }

    /// Returns the action that the command line or the user describes.
    private func action() throws -> FirstAction {
        let isAsked = url == nil
        let prompt = TerminalPrompt(text: "URL of the action, such as notes:/add")
        var action = try url.map(started) ?? prompt.ask(orElse: nil, started)
        let last = action.url.split(separator: "/").last.map(String.init) ?? "action"
        let proposal = "\(last.prefix(1).uppercased())\(last.dropFirst())".replacing(each: "-", with: " ")
        action.title =
            try title ?? (isAsked ? TerminalPrompt(text: "What does it do?").ask(orElse: proposal) : proposal)
        if parameters.isEmpty, isAsked {
            let types = ParameterType.simpleNames.joined(separator: ", ")
            let text = "Its parameters, such as 'text' or 'text count:int'; types: \(types)"
            action.parameters = try TerminalPrompt(text: text).ask(orElse: "") { line throws(Failure) in
                try Self.parameters(line.split(separator: " ").map(String.init))
            }
        } else {
            action.parameters = try Self.parameters(parameters)
        }
        return action
    }

    /// Returns the action of a URL, without a title and parameters.
    private func started(_ url: String) throws(Failure) -> FirstAction {
        if let action = FirstAction(url: url, language: language) { return action }
        let text = "'\(url.withVisibleControls)'"
        if url.isPattern {
            throw Failure(
                .usage,
                "\(text) has captures: add them to the route later, or use a parameter instead, and start with a URL "
                    + "such as notes:/add; nothing was written")
        }
        throw Failure(
            .usage,
            "\(text) is not the URL of an action: expected a scheme in lower case and a path, such as notes:/add; nothing was "
                + "written")
    }

    private static func parameters(_ words: [String]) throws(Failure) -> [FirstAction.Parameter] {
        try words.map { word throws(Failure) in
            guard let parameter = FirstAction.Parameter(word) else {
                throw Failure(
                    .usage,
                    "'\(word.withVisibleControls)' is not a parameter: expected a name of letters, digits and '_' that "
                        + "is not a reserved word, and after a colon a type such as int; nothing was written")
            }
            return parameter
        }
    }
}

extension FirstAction.Language: ExpressibleByArgument {}
