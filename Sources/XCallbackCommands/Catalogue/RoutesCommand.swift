import ArgumentParser
import XCallbackBuiltIns
import XCallbackClient
import XCallbackConfiguration
import XCallbackJSON
import XCallbackPipeline

/// Lists the routes of the daemon, or of a configuration.
struct RoutesCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "routes",
        abstract: "List the daemon's routes, or show all about some of them.",
        discussion: """
            Without names, it lists the routes scheme by scheme in the order of the configuration, each with the \
            stages before its handler and with its place, which only the daemon's user and root may see. With names, \
            as the list has them after their scheme, it shows what each route does, its parameters and its answer, \
            and a command that uses it. With --config no daemon is needed.

            Example: xcallback routes notes:/notes/:id/append

            Exit status: 0 success, 6 no such route, 7 daemon not reachable, 64 usage, 78 faults of the configuration, \
            which are printed on standard error, and with --json also as an object with 'faults'.
            """
    )

    @Argument(
        help: ArgumentHelp(
            "The routes to show; a scheme with its colon means all of its routes.", valueName: "route"),
        completion: .live(.route))
    var names: [String] = []

    @Option(
        help:
            "Only routes that requests of this origin reach: socket, desktop (such as a web page), or agent (an assistant)."
    )
    var origin: RequestOrigin?

    @Option(
        help: ArgumentHelp("Use this configuration instead of the daemon.", valueName: "file"),
        completion: .file())
    var config: String?

    @Flag(
        help:
            "Print one JSON array of the routes, with all that they say of themselves: route, title, input, returns, …")
    var json = false

    @OptionGroup var location: SocketOption

    func run(asking daemon: Client) async throws {
        let values: [JSONValue]
        if let config {
            values = try RouterConfiguration(checking: config, isForProgram: json).routesJSON.elements ?? []
        } else {
            values = try await ReplyWatch.wait("to list its routes") { try await daemon.routeValues() }.elements ?? []
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
                "requests of the origin '\(origin.rawValue)' do not reach \(name.withVisibleControls)")
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
