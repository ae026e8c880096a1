package import XCallbackPipeline

/// What a reload changes in the routes.
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
    }

    /// Whether all routes are as they were.
    package var isEmpty: Bool { changes.isEmpty }

    /// How many routes differ in a way.
    package func count(_ kind: Change.Kind) -> Int { changes.count { $0.kind == kind } }

    /// How many routes differ, in a few words for people.
    package var summary: String {
        isEmpty
            ? "no route differs" : "\(count(.added)) added, \(count(.removed)) removed, \(count(.changed)) changed"
    }
}

extension RouteDifference.Change: CustomStringConvertible {
    /// One line, such as `+ notes:/ping (config.yaml:7)`.
    package var description: String { "\(kind.rawValue) \(route.name) (\(route.place))" }
}
