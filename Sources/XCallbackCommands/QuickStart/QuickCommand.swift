import ArgumentParser
import XCallbackClient

/// Options that are read without ArgumentParser if they have the usual forms.
///
/// The names here must equal those of the properties, with the same meaning.
protocol QuickOptions: ParsableArguments {
    /// The valid options.
    static var names: CommandWords.Names { get }

    /// Sets all properties from words.
    ///
    /// - Returns: Whether all values are valid; if not, ArgumentParser reports the error.
    mutating func take(_ words: CommandWords) -> Bool
}

extension QuickOptions {
    /// Returns the options with the values in the words; nil if one is invalid.
    static func checked(_ words: CommandWords) -> Self? {
        // Values that an initializer assigns to such properties would be their defaults.
        var options = Self()
        guard options.take(words), (try? options.validate()) != nil else { return nil }
        return options
    }
}

/// A command that starts without ArgumentParser if its words have the usual forms.
///
/// People and programs wait for these commands often, so they must start as fast as a small C program.
protocol QuickCommand: DaemonCommand, QuickOptions {}

extension QuickCommand {
    /// Runs the command on this thread only.
    func run() throws {
        let command = self
        try CallingThread.run {
            try await command.run(asking: Client(socket: command.location.socket, blocking: ReplyWatch.blocking))
        }
    }
}

/// The commands that start without ArgumentParser.
enum QuickCommands {
    /// Returns the command that a command line names, ready to run.
    ///
    /// - Parameter arguments: The command line, without the name of the program.
    /// - Returns: The command; nil if ArgumentParser must parse the arguments.
    static func command(_ arguments: [String]) -> (any QuickCommand)? {
        guard let name = arguments.first, let type = type(named: name),
            let words = CommandWords(arguments.dropFirst(), names: type.names)
        else { return nil }
        return type.checked(words)
    }

    /// Returns the command with a name; nil if no such command starts without ArgumentParser.
    ///
    /// The command configurations have the same names, but creating them would take too long here.
    static func type(named name: String) -> (any QuickCommand.Type)? {
        switch name {
        case "open": OpenCommand.self
        case "call": CallCommand.self
        case "publish": PublishCommand.self
        case "explain": ExplainCommand.self
        case "handle": HandleCommand.self
        case "pick": PickCommand.self
        default: nil
        }
    }
}
