import ArgumentParser
import Glibc
import XCallbackConfiguration
import XCallbackLinux
import XCallbackRouter
import XCallbackURL

/// The command as a function from arguments to exit status.
package enum Commands {
    /// Returns the arguments of the process without its name, as given.
    ///
    /// - Parameters:
    ///   - values: All arguments.
    ///   - count: Their number.
    /// - Returns: The texts; nil for an argument that is not UTF-8.
    package static func arguments(
        _ values: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>, count: Int32
    ) -> [String?] {
        (1..<max(Int(count), 1)).map { index in values[index].flatMap { String(validatingCString: $0) } }
    }

    /// Runs the subcommand that the arguments name.
    ///
    /// SIGPIPE and SIGXFSZ are ignored from then on: output that cannot be written must not end requests that are still to
    /// be sent.
    ///
    /// - Parameter given: The command line, without the program's name; nil for an argument that is not UTF-8.
    /// - Returns: The exit status.
    package static func run(_ given: [String?]) -> Int32 {
        openMissingStandardDescriptors()
        silenceDispatch()
        signal(SIGPIPE, SIG_IGN)
        signal(SIGXFSZ, SIG_IGN)
        // If a menu or a window manager ignores it, so does this process, and the status of its programs is lost.
        signal(SIGCHLD, SIG_DFL)
        let arguments = given.compactMap(\.self)
        if let index = given.firstIndex(of: nil) {
            return report("xcallback: argument \(index + 1) is not UTF-8; nothing was done", ExitStatus.usage.rawValue)
        }
        if let url = arguments.first, url.isURL {
            Terminal.printError(
                "xcallback: '\(url.withVisibleControls)' is a URL, not a command; to open it:\n"
                    + "  xcallback open \(url.shellWord.withVisibleControls)")
            return ExitStatus.usage.rawValue
        }
        if arguments.first == "--generate-completion-script", arguments.count == 2,
            let shell = CompletionShell(rawValue: arguments[1])
        {
            return report(CompletionScript.text(for: shell), ExitStatus.success.rawValue)
        }
        do {
            try RootCommand.checkName(in: arguments)
            var command = try RootCommand.command(in: arguments)
            try command.run()
            return ExitStatus.success.rawValue
        } catch {
            if let status = Failure.report(error) { return status.rawValue }
            if let status = error as? ExitCode { return status.rawValue }
            let status = RootCommand.exitCode(for: error).rawValue
            let text = RootCommand.fullMessage(for: error)
            return text.isEmpty ? status : report(text, status)
        }
    }

    /// Prints the output of the argument parser: requested help, or an error.
    private static func report(_ text: String, _ status: Int32) -> Int32 {
        guard status == ExitStatus.success.rawValue else {
            Terminal.printError(text)
            UserNotice.showUnseen(text)
            return status
        }
        do throws(Failure) {
            try Terminal.print(text)
            return status
        } catch {
            Terminal.printError(error)
            return error.status.rawValue
        }
    }
}

/// The command without a subcommand: lists the subcommands.
struct RootCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "xcallback",
        abstract: "Run actions by their URLs, and manage xcallbackd.",
        discussion: "Start with: xcallback setup notes",
        version: Version.text,
        subcommands: [HandleCommand.self],
        groupedSubcommands: [
            CommandGroup(
                name: "Start",
                subcommands: [SetupCommand.self, InitCommand.self, EditCommand.self, RemoveCommand.self]),
            CommandGroup(name: "Use", subcommands: [OpenCommand.self, PickCommand.self, CallCommand.self]),
            CommandGroup(
                name: "See",
                subcommands: [
                    RoutesCommand.self, ExplainCommand.self, MonitorCommand.self, HistoryCommand.self, LogCommand.self,
                    StatusCommand.self, CancelCommand.self,
                ]),
            CommandGroup(name: "Run", subcommands: [CheckCommand.self, ReloadCommand.self, DoctorCommand.self]),
            CommandGroup(
                name: "Programs",
                subcommands: [
                    ListenCommand.self, PublishCommand.self, SubscribeCommand.self, AskCommand.self, MCPCommand.self,
                ]),
            CommandGroup(name: "Links", subcommands: [RegisterCommand.self, UnregisterCommand.self]),
        ]
    )

    /// Parses a command line.
    ///
    /// `open`, which scripts start often, is parsed without the other commands: they would take an eighth of its time. Its faults
    /// and its help name the whole command, as those of the others do.
    static func command(in arguments: [String]) throws -> any ParsableCommand {
        if arguments.first == OpenCommand.configuration.commandName,
            let command = try? OpenCommand.parse(Array(arguments.dropFirst()))
        {
            return command
        }
        return try parseAsRoot(arguments)
    }

    /// Checks that the subcommand exists that a command line names or requests help for.
    ///
    /// - Throws: ``Failure`` with the name that was probably meant.
    static func checkName(in arguments: [String]) throws(Failure) {
        let words = arguments.first == "help" ? arguments.dropFirst() : arguments[...]
        guard let name = words.first, name != "help", !name.hasPrefix("-") else { return }
        let commands = configuration.subcommands.map { $0.configuration }
        if commands.contains(where: { $0.commandName == name }) { return }
        let names = commands.filter(\.shouldDisplay).compactMap(\.commandName)
        let hint = CommandSynonyms.hint(for: name) ?? name.suggestion(among: names)
        throw Failure(.usage, "there is no command '\(name.withVisibleControls)'\(hint)\nsee 'xcallback --help'")
    }
}

/// The words that people try first, and what leads there.
private enum CommandSynonyms {
    /// Returns the end of a sentence about a word that is no command; nil if the word is unknown.
    static func hint(for word: String) -> String? {
        let word = word.lowercased()
        if ["start", "stop", "restart", "enable", "disable"].contains(word) {
            return "; the service manager does that: 'systemctl --user \(word) xcallbackd.socket xcallbackd.service'"
        }
        return commands.first { $0.words.contains(word) }.map { "; use 'xcallback \($0.command)'" }
    }

    private static let commands: [(words: [String], command: String)] = [
        (["run", "exec", "execute", "send", "do", "get", "url"], "open"),
        (["list", "ls", "actions", "show", "describe"], "routes"),
        (["add", "new", "create", "make"], "init"), (["install", "example", "examples", "demo"], "setup"),
        (["menu", "choose", "select"], "pick"), (["why", "test", "try", "dry-run"], "explain"),
        (["watch", "follow", "tail"], "monitor"), (["logs", "journal"], "log"),
        (["info", "ps", "stats", "health"], "status"), (["validate", "lint", "verify"], "check"),
        (["refresh", "update"], "reload"), (["diagnose", "fix", "debug"], "doctor"),
        (["receive", "serve"], "listen"), (["emit"], "publish"),
        (["rm", "delete", "uninstall", "undo"], "remove"), (["change", "rename", "config", "configure"], "edit"),
    ]
}

extension String {
    /// Whether the text begins like a URL, with a scheme and a colon.
    fileprivate var isURL: Bool {
        firstIndex(of: ":").map { isScheme(self[..<$0]) } ?? false
    }
}
