package import XCallbackRouter
import XCallbackURL

/// The changes of a reload.
package struct RouteDifference: Sendable {
    /// A route that differs.
    package struct Change: Sendable {
        /// The kind of difference.
        package enum Kind: String, Sendable {
            case removed = "-"
            case added = "+"
            case changed = "~"
        }

        /// The kind of difference.
        package let kind: Kind
        /// The route: the old one if it was removed, otherwise the new one.
        package let route: Route
    }

    /// The changes: first removed routes in the old order, then added and changed routes in the new order.
    package let changes: [Change]
    /// The differing settings other than routes, by their keys in the configuration file.
    package let settings: [String]

    /// Compares two configurations.
    ///
    /// Two routes with the same scheme, pattern, and capture types are the same route, regardless of their places. A
    /// route has changed if its settings have changed, or the parts that it gets from groups, definitions, and the
    /// configuration.
    package init(from old: RouterConfiguration, to new: RouterConfiguration) {
        let before = Dictionary(old.pipeline.routes.map { (Array($0.identity.utf8), $0) }) { first, _ in first }
        let after = Set(new.pipeline.routes.map { Array($0.identity.utf8) })
        let removed = old.pipeline.routes.filter { !after.contains(Array($0.identity.utf8)) }
            .map { Change(kind: .removed, route: $0) }
        changes =
            removed
            + new.pipeline.routes.compactMap { route in
                guard let other = before[Array(route.identity.utf8)] else { return Change(kind: .added, route: route) }
                return other.fingerprint == route.fingerprint ? nil : Change(kind: .changed, route: route)
            }
        settings = [
            ("schemes", old.pipeline.schemes.map(\.settings) == new.pipeline.schemes.map(\.settings)),
            ("callbacks", old.pipeline.callbackRules.allowed == new.pipeline.callbackRules.allowed),
            ("limits", old.limits == new.limits), ("log", old.logLevel == new.logLevel),
            ("history", old.history == new.history),
            ("middleware", old.pipeline.fallback?.fingerprint == new.pipeline.fallback?.fingerprint),
        ].filter { !$0.1 }.map(\.0)
    }

    /// Returns the number of changes of a kind.
    package func count(_ kind: Change.Kind) -> Int { changes.count { $0.kind == kind } }

}
