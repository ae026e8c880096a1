import XCallbackAdministration
import XCallbackClient

/// A list of routes for people.
struct RouteListing {
    /// The routes, in the order of the configuration.
    let routes: [Client.Route]
    /// Whether names for assistants are shown in place of whether the desktop reaches the routes.
    var isOfAssistants = false

    /// A tree: each scheme with its routes below, in columns with titles.
    var tree: String {
        var schemes: [String] = []
        for route in routes where !schemes.contains(route.scheme) { schemes.append(route.scheme) }
        let hasTitles = routes.contains { $0.title != nil }
        let titles = ["ROUTE", isOfAssistants ? "TOOL" : "ACCESS", "MIDDLEWARE", "POLICIES", "HANDLER", "PLACE"]
        var rows = [hasTitles ? titles + ["TITLE"] : titles]
        for scheme in schemes {
            rows.append([scheme])
            rows += routes.filter { $0.scheme == scheme }.map {
                $0.cells(isOfAssistants) + (hasTitles ? [$0.title ?? "-"] : [])
            }
        }
        return TextTable(rows).text
    }
}

extension Client.Route {
    fileprivate func cells(_ isOfAssistants: Bool) -> [String] {
        [
            "  \(pattern)", isOfAssistants ? agentName ?? "-" : isPublic ? "public" : "private", Self.list(middleware),
            Self.list(policies), handler, place ?? "-",
        ]
    }

    private static func list(_ names: [String]) -> String {
        names.isEmpty ? "-" : names.joined(separator: ", ")
    }
}
