import ArgumentParser
import Glibc
import XCallbackPipeline

/// The command as a program: arguments in, exit status out.
package enum Commands {
    /// Runs the subcommand that the arguments name.
    ///
    /// It ignores SIGPIPE from then on: a reader that goes away must not end requests that are still to be sent.
    ///
    /// - Parameter arguments: The command line, without the name of the program.
    /// - Returns: The exit status.
    package static func run(_ arguments: [String]) -> Int32 {
        signal(SIGPIPE, SIG_IGN)
        do {
            var command = try RootCommand.parseAsRoot(arguments)
            try command.run()
            return ExitStatus.success.rawValue
        } catch {
            if let failure = Failure(error) {
                Terminal.printError(failure)
                return failure.status.rawValue
            }
            let status = RootCommand.exitCode(for: error).rawValue
            let text = RootCommand.fullMessage(for: error)
            return text.isEmpty ? status : tell(text, status)
        }
    }

    /// Prints what the parser of the arguments has to say: help that was asked for, or what is wrong.
    private static func tell(_ text: String, _ status: Int32) -> Int32 {
        guard status == ExitStatus.success.rawValue else {
            Terminal.printError(text)
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

/// The command without a subcommand: it tells which ones there are.
struct RootCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "xcallback",
        abstract: "Speak with xcallbackd, which routes x-callback-url URLs, and look at its configuration.",
        discussion: "Example: xcallback open 'notes:/create?title=Milk'",
        version: Version.text,
        subcommands: [
            OpenCommand.self, AskCommand.self, ListenCommand.self, PublishCommand.self, SubscribeCommand.self,
            MonitorCommand.self, LogCommand.self, StatusCommand.self, RoutesCommand.self, ExplainCommand.self,
            CheckCommand.self, ReloadCommand.self, SetupCommand.self,
            CallCommand.self, HandleCommand.self, SumUpCommand.self,
            RegisterCommand.self, UnregisterCommand.self, DoctorCommand.self,
        ]
    )
}
