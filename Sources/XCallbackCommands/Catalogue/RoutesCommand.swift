import ArgumentParser
import XCallbackAdministration
import XCallbackBuiltIns
import XCallbackClient
import XCallbackConfiguration
import XCallbackPipeline
import XCallbackWire

/// Lists the routes of the daemon or of a configuration.
struct RoutesCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "routes",
        abstract: "List the routes, or describe some of them.",
        discussion: """
            Without names, lists the routes of each scheme in the order of the configuration, with the stages before \
            the handler, and with the place in the configuration, which only the daemon's user and root see. With \
            names, as the list shows them after their scheme, prints what each route does, its parameters, its answer, \
            and a command that uses it. With --config, no daemon is needed.

            Example: xcallback routes notes:/notes/:id/append

            Exit status: 0 success, 6 no such route, 7 daemon not reachable, 64 usage, 78 configuration faults, which \
            are printed on standard error, and with --json also as an object with 'faults'.
            """
    )

    @Argument(
        help: ArgumentHelp(
            "The routes to describe. A scheme with its colon selects all of its routes.", valueName: "route"),
        completion: .live(.route))
    var names: [String] = []

    @Option(
        help:
            "Show only routes that requests of this origin reach: socket, desktop (as from a web page) or agent (an assistant)."
    )
    var origin: RequestOrigin?

    @Option(
        help: ArgumentHelp("Read this configuration instead of asking the daemon.", valueName: "file"),
        completion: .file())
    var config: String?

    @Flag(
        help:
            "Print one JSON array of the routes with their descriptions: route, title, input, returns, …")
    var json = false

    @OptionGroup var location: SocketOption

    func run(asking daemon: Client) async throws {
        let values: [JSONValue]
        if let config {
            values = try RouterConfiguration(checking: config, isForProgram: json).routesJSON.elements ?? []
        } else {
            values = try await ReplyWatch.wait("to list its routes") { try await daemon.routes() }.map(\.json)
        }
        let all = try [Client.Route](reading: .array(values))
        for name in names where !all.contains(where: { Self.isMeant($0, by: name) }) {
            let suggestion = name.suggestion(among: all.map(\.name))
            throw Failure(.unknownAction, "no route is called '\(name.withVisibleControls)'\(suggestion)")
        }
        let shown = all.indices.filter { index in
            (names.isEmpty || names.contains { Self.isMeant(all[index], by: $0) })
                && (origin?.reaches(all[index]) ?? true)
        }
        let routeNames = names.filter { !$0.hasSuffix(":") }
        if let origin, let name = routeNames.first(where: { name in !shown.contains { all[$0].name == name } }) {
            throw Failure(
                .unknownAction,
                "requests of the origin '\(origin.rawValue)' cannot reach \(name.withVisibleControls)")
        }
        if json { return try Terminal.print(JSONValue.array(shown.map { values[$0] })) }
        let routes = shown.map { all[$0] }
        if !routeNames.isEmpty {
            try Terminal.print(routes.map { "\(RoutePage(route: $0))" }.joined(separator: "\n\n"))
        } else {
            try Terminal.print(RouteListing(routes: routes, isOfAssistants: origin == .agent).tree)
        }
    }

    private static func isMeant(_ route: Client.Route, by name: String) -> Bool {
        name == route.name || name == "\(route.scheme):"
    }
}
