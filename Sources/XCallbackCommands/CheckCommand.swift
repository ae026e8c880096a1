import ArgumentParser
import XCallbackBuiltIns

/// Tells what is wrong with a configuration.
struct CheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Tell what is wrong with a configuration; no daemon is needed.",
        discussion: """
            Example: xcallback check

            Exit status: 0 valid, 78 faults, which are printed on standard error.
            """
    )

    @Argument(help: "The configuration; the one that the daemon would read if it is left out.")
    var file: String?

    func run() throws {
        try Output.print(RouterConfiguration(checking: file).summary)
    }
}
