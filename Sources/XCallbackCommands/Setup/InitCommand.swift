import ArgumentParser
import Glibc
import XCallbackBytes
import XCallbackClient
import XCallbackConfiguration
import XCallbackLinux
import XCallbackURL

/// Writes a user's first action.
struct InitCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init",
        abstract: "Write an action of your own.",
        discussion: """
            Asks for the URL of the action, its title and its parameters, unless the command line has them. Writes a \
            drop-in to your routes.d and a program to a folder of your data, both yours to edit, and reloads the \
            daemon. Overwrites no file. If a step fails, nothing is changed.

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

    @OptionGroup var location: SocketOption

    func run() throws {
        guard geteuid() != 0 else {
            throw Failure(
                .errorAnswer,
                "init is for a user's daemon, and root's daemon is the system's\n"
                    + "run it as the user, without sudo; for the system, write a file in /etc/xcallbackd/routes.d")
        }
        let action = try self.action()
        let folders = try UserFolders()
        let daemon = UserDaemon(socket: location.socket)
        try folders.lockHome(for: "init")
        let files = try ActionFiles(action, in: folders)
        let interruption = try Interruption()
        try waitFor {
            try await interruption.run { try await files.install(for: daemon) }
        }
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
