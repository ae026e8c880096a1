import ArgumentParser
import XCallback
import XCallbackBuiltIns
import XCallbackJSON
import XCallbackPipeline

/// Lists the routes of the daemon, or of a configuration.
struct RoutesCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "routes",
        abstract: "List the daemon's routes, scheme by scheme, in the order of its configuration.",
        discussion: """
            Each route is shown with what stands before its handler and with its place in the configuration, which only \
            the daemon's user and root may know. With --config no daemon is needed.

            Example: xcallback routes --json

            Exit status: 0 success, 7 daemon not reachable, 64 usage, 78 faults of the configuration, which are printed \
            on standard error.
            """
    )

    @Option(help: ArgumentHelp("Ask this configuration instead of the daemon.", valueName: "file"))
    var config: String?

    @Flag(help: "Print one JSON array: route, scheme, pattern, public, middleware, policies, handler, place.")
    var json = false

    @OptionGroup var location: SocketOption

    func run(asking daemon: Client) async throws {
        let routes: JSONValue
        if let config {
            routes = .array(try RouterConfiguration(checking: config).pipeline.routes.map { $0.json() })
        } else {
            routes = try await daemon.call("Routes")["routes"] ?? .null
        }
        try Terminal.print(json ? routes.description : RouteListing(routes: [Client.Route](reading: routes)).tree)
    }
}
