import ArgumentParser
import XCallbackClient

/// Options that are read without ArgumentParser where they are of the usual forms.
///
/// The names here and those of the properties must be the same, and mean the same.
protocol QuickOptions: ParsableArguments {
    /// The options that there are.
    static var names: CommandWords.Names { get }

    /// Takes the values of all properties from words.
    ///
    /// - Returns: Whether each is as the options want it; if not, ArgumentParser says what is wrong.
    mutating func take(_ words: CommandWords) -> Bool
}

extension QuickOptions {
    /// The options with the values that words have; nil if one is wrong.
    static func checked(_ words: CommandWords) -> Self? {
        // What an initializer assigns to such properties would be their defaults.
        var options = Self()
        guard options.take(words), (try? options.validate()) != nil else { return nil }
        return options
    }
}

/// A command that starts without ArgumentParser if its words are of the usual forms.
///
/// People and programs wait for these commands again and again: they are to start as quickly as a small C program.
protocol QuickCommand: DaemonCommand, QuickOptions {}

extension QuickCommand {
    /// Runs the command on this thread, without any other.
    func run() throws {
        let command = self
        try CallingThread.run {
            try await command.run(asking: Client(socket: command.location.socket, blocking: ReplyWatch.blocking))
        }
    }
}

/// The commands that start so.
enum QuickCommands {
    /// The command that a command line names, ready to run.
    ///
    /// - Parameter arguments: The command line, without the name of the program.
    /// - Returns: Nil if it is for ArgumentParser.
    static func command(_ arguments: [String]) -> (any QuickCommand)? {
        guard let name = arguments.first, let type = type(named: name),
            let words = CommandWords(arguments.dropFirst(), names: type.names)
        else { return nil }
        return type.checked(words)
    }

    /// The command of a name; nil if it has none that starts so.
    ///
    /// The names stand in the configurations too, which are not to be made here.
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
