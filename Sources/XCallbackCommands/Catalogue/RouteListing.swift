import XCallback

/// Routes, as they are shown to people.
struct RouteListing {
    /// The routes, in the order of the configuration.
    let routes: [Client.Route]

    /// A tree: each scheme with its routes below, in columns with titles.
    var tree: String {
        var schemes: [String] = []
        for route in routes where !schemes.contains(route.scheme) { schemes.append(route.scheme) }
        let hasTitles = routes.contains { $0.title != nil }
        let titles = ["ROUTE", "ACCESS", "MIDDLEWARE", "POLICIES", "HANDLER", "PLACE"]
        var rows = [hasTitles ? titles + ["TITLE"] : titles]
        for scheme in schemes {
            rows.append([scheme])
            rows += routes.filter { $0.scheme == scheme }.map { $0.cells + (hasTitles ? [$0.title ?? "-"] : []) }
        }
        return TextTable(rows).text
    }
}

extension Client.Route {
    fileprivate var cells: [String] {
        [
            "  \(pattern)", isPublic ? "public" : "private", Self.list(middleware), Self.list(policies), handler,
            place ?? "-",
        ]
    }

    private static func list(_ names: [String]) -> String {
        names.isEmpty ? "-" : names.joined(separator: ", ")
    }
}
