package import XCallbackPipeline

/// What a reload changes.
package struct RouteDifference: Sendable {
    /// A route that is not as it was.
    package struct Change: Sendable {
        /// How it differs.
        package enum Kind: String, Sendable {
            case removed = "-"
            case added = "+"
            case changed = "~"
        }

        /// How it differs.
        package let kind: Kind
        /// The route: as it was if it is removed, else as it is.
        package let route: Route
    }

    /// The changes: what is removed in the old order, then what is added and changed in the new one.
    package let changes: [Change]
    /// The settings beside the routes that differ, by their keys in the configuration file.
    package let settings: [String]

    /// Compares two configurations.
    ///
    /// Two routes with the same scheme, pattern and types of captures are the same route, wherever they stand. It has
    /// changed if its settings have, or what groups, definitions and the configuration add to it.
    package init(from old: RouterConfiguration, to new: RouterConfiguration) {
        let before = Dictionary(old.pipeline.routes.map { (Array($0.identity.utf8), $0) }) { first, _ in first }
        let after = Set(new.pipeline.routes.map { Array($0.identity.utf8) })
        let removed = old.pipeline.routes.filter { !after.contains(Array($0.identity.utf8)) }
            .map { Change(kind: .removed, route: $0) }
        changes =
            removed
            + new.pipeline.routes.compactMap { route in
                guard let other = before[Array(route.identity.utf8)] else { return Change(kind: .added, route: route) }
                return other.contentHash == route.contentHash ? nil : Change(kind: .changed, route: route)
            }
        settings = [
            ("schemes", old.pipeline.schemes.map(\.setting) == new.pipeline.schemes.map(\.setting)),
            ("callbacks", old.pipeline.callbackRules.allowed == new.pipeline.callbackRules.allowed),
            ("limits", old.limits == new.limits), ("log", old.logLevel == new.logLevel),
            ("middleware", old.pipeline.fallback?.contentHash == new.pipeline.fallback?.contentHash),
        ].filter { !$0.1 }.map(\.0)
    }

    /// How many routes differ in a way.
    package func count(_ kind: Change.Kind) -> Int { changes.count { $0.kind == kind } }

}

extension Pipeline.Scheme {
    /// What the configuration says of it, beside its routes.
    fileprivate var setting: String { ignoresHosts ? "\(name) without hosts" : name }
}

extension RouteDifference.Change: CustomStringConvertible {
    /// One line, such as `+ notes:/ping (config.yaml:7)`.
    package var description: String { "\(kind.rawValue) \(route.name) (\(route.place))" }
}
