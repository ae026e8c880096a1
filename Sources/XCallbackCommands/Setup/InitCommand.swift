import ArgumentParser
import Glibc
import XCallback
import XCallbackConfiguration
import XCallbackLinux

/// Writes a first action of the user's own.
struct InitCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init",
        abstract: "Write an action of your own: a route, and the program that it runs.",
        discussion: """
            It asks for the action's URL, what it does, and its parameters; what is given on the command line is not \
            asked for. It writes a drop-in to your routes.d and a program to a folder of your data, which are yours from \
            then on, and lets the daemon serve them. It writes over nothing, and if anything fails, nothing is changed.

            Example: xcallback init notes:/add --title 'Add a note' --param text

            Exit status: 0 done, 1 it could not be done, 7 daemon not reachable, 64 usage, 78 faults of the configuration.
            """
    )

    @Argument(help: ArgumentHelp("The action's URL, such as notes:/add.", valueName: "url"))
    var url: String?

    @Option(help: "What it does, in a few words for menus.")
    var title: String?

    @Option(
        name: .customLong("param"),
        help: ArgumentHelp("A parameter, such as 'text' or 'count:int'; repeat it.", valueName: "name:type"))
    var parameters: [String] = []

    @Option(help: "What the program is written in: sh or python.")
    var language = FirstAction.Language.sh

    @OptionGroup var location: SocketOption

    func run() throws {
        guard geteuid() != 0 else {
            throw Failure(
                .errorAnswer,
                "init is for the daemon of a user, and root's daemon is that of the system\n"
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

    /// The action, as the command line or the user describes it.
    private func action() throws -> FirstAction {
        let isAsked = url == nil
        let url = try url ?? TerminalPrompt(text: "URL of the action, such as notes:/add").ask(orElse: nil)
        let last = url.split(separator: "/").last.map(String.init) ?? "action"
        let proposal = "\(last.prefix(1).uppercased())\(last.dropFirst())".replacing("-", with: " ")
        let title =
            try title ?? (isAsked ? TerminalPrompt(text: "What does it do?").ask(orElse: proposal) : proposal)
        var words = parameters
        if words.isEmpty, isAsked {
            let text = "Its parameters, such as 'text' or 'text count:int'"
            words = try TerminalPrompt(text: text).ask(orElse: "").split(separator: " ").map(String.init)
        }
        let parameters = try words.map { word in
            guard let parameter = FirstAction.Parameter(word) else {
                throw Failure(
                    .usage,
                    "'\(word.withVisibleControls)' is no parameter: expected a name of letters, digits and '_' that "
                        + "means nothing else in a program, and behind a colon a type such as int; nothing was written")
            }
            return parameter
        }
        guard let action = FirstAction(url: url, title: title, parameters: parameters, language: language) else {
            throw Failure(
                .usage,
                "'\(url.withVisibleControls)' is no URL of an action: expected a scheme in lower case and a path, such as notes:/add; "
                    + "nothing was written")
        }
        return action
    }
}

extension FirstAction.Language: ExpressibleByArgument {}
