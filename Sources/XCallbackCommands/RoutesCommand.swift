import ArgumentParser
import XCallbackBuiltIns
import XCallbackJSON
import XCallbackPipeline

/// Lists the routes of a configuration.
struct RoutesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "routes",
        abstract: "List the routes of a configuration, scheme by scheme, in its order; no daemon is needed.",
        discussion: """
            Each route is shown with what stands before its handler and with its place in the configuration.

            Example: xcallback routes --json

            Exit status: 0 valid, 78 faults, which are printed on standard error.
            """
    )

    @Option(help: ArgumentHelp("The configuration instead of the one that the daemon would read.", valueName: "file"))
    var config: String?

    @Flag(help: "Print one JSON array: route, scheme, pattern, public, middleware, policies, handler, place.")
    var json = false

    func run() throws {
        let list = RouteList(try RouterConfiguration(checking: config).pipeline)
        try Output.print(json ? list.json.description : list.tree)
    }
}
