import XCallbackRouting

extension Pipeline {
    /// The routes that certainly never answer, each with a better one.
    package func unreachableRoutes() -> [(route: Route, better: Route)] {
        schemes.flatMap { scheme in
            ReachSearch(scheme.table, of: scheme.routes.map(\.routingEntry)).unreachableRoutes().map { finding in
                (scheme.routes[finding.route], scheme.routes[finding.better])
            }
        }
    }
}
